"""A part is told by its tag: the same to whoever reads it is the same, whatever a script or a token changes."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from organizer.kit.pages import unless_known


def asked(text, tag=""):
    request = RequestFactory().get("/", headers={"If-None-Match": tag} if tag else {})
    return unless_known(request, HttpResponse(text, headers={"Cache-Control": "no-store", "HX-Trigger": "x"}))


AGO = '<p>Read <time datetime="2026-11-21T19:00:00" title="then" data-ago>{}</time></p>'
TOKEN = '<form><input type="hidden" name="csrfmiddlewaretoken" value="{}"></form>'


@pytest.mark.parametrize("text", [AGO, TOKEN])
def test_is_the_same_where_only_that_changes_which_changes_by_itself(text):
    known = asked(text.format("12 s ago"))["ETag"]
    again = asked(text.format("14 s ago"), known)
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "text", [AGO.replace("19:00:00", "19:00:01").format("12 s ago"), AGO.format("12 s ago") + ".", ""]
)
def test_is_another_where_anything_else_changes(text):
    known = asked(AGO.format("12 s ago"))["ETag"]
    again = asked(text, known)
    assert again.status_code == 200
    assert again["ETag"] != known


def test_knows_a_tag_that_a_compressing_server_made_weak():
    assert asked("<p>x</p>", f"W/{asked('<p>x</p>')['ETag']}").status_code == 304


def test_forbids_to_keep_it():
    assert asked("x", asked("x")["ETag"])["Cache-Control"] == "no-store"
