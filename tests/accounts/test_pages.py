import re

import pytest
from django.test import Client

from organizer.accounts import actions, audit
from organizer.accounts.models import Role
from tests.support.cast import person

pytestmark = pytest.mark.django_db


def as_person(client, user):
    client.force_login(user)
    return client


class TestMembers:
    def test_lists_people_and_roles(self, client, cast):
        said = as_person(client, cast.max).get("/o/harbour/settings/members/").content.decode()
        assert "dora@harbour.test" in said
        assert "Manager" in said
        assert "sam@elsewhere.test" not in said

    @pytest.mark.parametrize(("name", "status"), [("olive", 200), ("max", 200), ("dora", 403), ("sam", 404)])
    def test_is_for_managers(self, client, cast, name, status):
        assert as_person(client, getattr(cast, name)).get("/o/harbour/settings/members/").status_code == status


class TestSettings:
    def test_is_named_in_the_menu_of_those_who_may(self, client, cast):
        for user, first in ((cast.olive, "connections/"), (cast.max, "members/"), (cast.dora, "")):
            found = re.search(
                r'href="/o/harbour/settings/([^"]*)"', as_person(client, user).get("/o/harbour/").content.decode()
            )
            assert (found[1] if found else "") == first


class TestForbidden:
    def test_says_whom_to_ask(self, client, cast):
        answer = as_person(client, cast.dora).get("/o/harbour/settings/audit/")
        assert answer.status_code == 403
        assert "olive@harbour.test" in answer.content.decode()

    def test_tells_a_stranger_nothing(self, client, cast):
        as_person(client, cast.sam)
        missing, hidden = client.get("/o/nowhere/"), client.get("/o/harbour/")
        assert missing.status_code == hidden.status_code == 404
        assert missing.content == hidden.content


class TestAuditTrail:
    def test_says_what_changed_in_words(self, client, cast):
        viewer = person("Vera", cast.organization, Role.VIEWER)
        actions.add_member(organization=cast.organization, user=viewer, role=Role.MANAGER, by=cast.olive)
        said = as_person(client, cast.olive).get("/o/harbour/settings/audit/").content.decode()
        assert "Member role changed" in said
        assert "role: viewer → manager" in said

    def test_says_decisions_as_people_do(self, client, cast):
        after = {"guests": 9, "notify_guest": True, "custom_message": "", "command": 7}
        audit.record("attendees.reject", target=cast.olive, organization=cast.organization, by=cast.olive, after=after)
        before, after = {"status": "pending_approval"}, {"status": "valid", "notify_guest": False}
        audit.record(
            "attendee.approve", target=cast.olive, organization=cast.organization, by=cast.olive, before=before,
            after=after | {"custom_message": "Come!"},
        )  # fmt: skip
        said = re.sub(
            r"<[^>]+>|\s+", " ", as_person(client, cast.olive).get("/o/harbour/settings/audit/").content.decode()
        )
        said = " ".join(said.split())
        assert "Rejected many" in said
        assert "9 guests , told by mail web" in said
        assert "status: pending → going , no mail , “Come!”" in said
        assert "notify_guest" not in said

    def test_shows_no_other_organization(self, client, cast):
        audit.record("organization.created", target=cast.elsewhere, organization=cast.elsewhere, by=cast.sam)
        said = as_person(client, cast.olive).get("/o/harbour/settings/audit/").content.decode()
        assert "Nothing has been changed yet" in said

    def test_pages_to_the_end(self, client, cast):
        for number in range(120):
            audit.record(f"thing.n{number}", target=cast.organization, organization=cast.organization, by=None)
        address, seen, pages = "/o/harbour/settings/audit/", [], 0
        as_person(client, cast.olive)
        while address:
            trail = client.get(address).context["trail"]
            seen += [row.entry.verb for row in trail.rows]
            address = f"/o/harbour/settings/audit/?before={trail.older}" if trail.older else ""
            pages += 1
        assert seen == [f"thing.n{number}" for number in reversed(range(120))]
        assert pages == 3

    @pytest.mark.parametrize("before", ["x", "-1", "9" * 40, "1; drop", "²"])
    def test_takes_odd_addresses(self, client, cast, before):
        assert as_person(client, cast.olive).get("/o/harbour/settings/audit/", {"before": before}).status_code == 200

    @pytest.mark.parametrize(("name", "status"), [("olive", 200), ("max", 403), ("sam", 404)])
    def test_is_for_admins(self, client, cast, name, status):
        assert as_person(client, getattr(cast, name)).get("/o/harbour/settings/audit/").status_code == status


class TestTheme:
    def test_is_rendered_before_any_script(self, client, cast):
        client.post("/theme/", {"theme": "dark", "next": "/accounts/login/"})
        assert 'data-bs-theme="dark"' in client.get("/accounts/login/").content.decode()

    def test_goes_back_to_the_system(self, client, db):
        client.post("/theme/", {"theme": "dark"})
        client.post("/theme/", {"theme": "system"})
        assert "data-bs-theme" not in client.get("/accounts/login/").content.decode()

    @pytest.mark.parametrize("away", ["//evil.test/", "https://evil.test/", "javascript:alert(1)"])
    def test_goes_to_no_other_host(self, client, db, away):
        assert client.post("/theme/", {"theme": "dark", "next": away})["Location"] == "/"

    def test_believes_no_odd_cookie(self, client, db):
        client.cookies["foyer_theme"] = '"><script>'
        assert "data-bs-theme" not in client.get("/accounts/login/").content.decode()


class TestErrors:
    def test_says_what_a_lost_token_means(self, cast):
        client = Client(enforce_csrf_checks=True)
        answer = client.post("/accounts/login/", {"login": "x"})
        assert answer.status_code == 403
        assert "This form was open too long" in answer.content.decode()

    def test_says_that_it_broke_without_needing_anything(self, client):
        from django.views.defaults import server_error

        answer = server_error(client.request().wsgi_request)
        assert answer.status_code == 500
        assert b"Something broke on our side" in answer.content

    def test_lets_nobody_in_without_an_organization(self, client, db):
        said = as_person(client, person("Nora")).get("/").content.decode()
        assert "belongs to no organization" in said
