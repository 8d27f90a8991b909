"""Which columns the list of deliveries shows: chosen, kept in its address, its saved views and its file."""

import csv
import io
import re

import pytest
from django.urls import reverse

from organizer.lists.models import SavedView
from organizer.webhooks import columns, listings
from organizer.webhooks.filters import Filters
from tests.support import deliveries
from tests.support.deliveries import delivered, settle

pytestmark = pytest.mark.django_db
AT = "/o/harbour/webhooks/"


@pytest.fixture
def olive(client, cast):
    deliveries.vendor(cast.organization, cast.olive)
    settle(delivered("acme", {"event": "order.placed", "reference": "R-1"}, X_Webhook_Id="id-1"), "changed")
    client.force_login(cast.olive)
    return client


def heads(client, query=""):
    page = client.get(f"{AT}?{query}").content.decode()
    table = page[page.index('<table class="table-x cards deliveries') :]
    return re.findall(r"<th[^>]*>([^<]+)</th>", table[: table.index("</thead>")])


def test_shows_the_usual_ones():
    assert columns.chosen(()) == columns.chosen(columns.USUAL) == ()
    assert columns.chosen(["x"]) == ("event",)
    assert columns.chosen(["received", "id"]) == ("event", "id", "received")


def test_shows_those_that_were_chosen_in_their_own_order(olive):
    assert heads(olive) == ["Outcome", "Event", "Order", "Supplier", "Signature", "Body", "Took", "Received"]
    assert heads(olive, "columns=size&columns=id&columns=x") == ["Event", "Delivery id", "Bytes"]
    page = olive.get(f"{AT}?columns=id&columns=secret&columns=source&columns=times&columns=settled").content.decode()
    assert 'title="id-1"' in page
    assert "127.0.0.1" in page


@pytest.mark.parametrize("column", columns.COLUMNS, ids=lambda column: column.key)
def test_each_has_a_cell(olive, column):
    page = olive.get(f"{AT}?columns={column.key}").content.decode()
    table = page[page.index('<table class="table-x cards deliveries') : page.index("</table>\n</div>\n")]
    assert table.count("<td") == (1 if column.key == "event" else 2)


def test_what_comes_later_has_the_same(olive):
    page = olive.get(f"{AT}?columns=id").content.decode()
    watch = re.search(r'hx-get="([^"]+news/[^"]+)"', page)[1].replace("&amp;", "&")
    assert "columns=id" in watch
    row = olive.get(f"{watch}&row={re.search(r'name="row" value="(\d+)', page)[1]}.old").content.decode()
    assert row.count("<td") == 2


def test_a_saved_view_keeps_them(olive):
    olive.post(
        reverse("lists:save", args=["harbour"]),
        {"listing": "deliveries", "name": "Ids", "query": "?outcome=changed&columns=id"},
    )
    saved = SavedView.objects.get()
    assert saved.query == "?outcome=changed&columns=event&columns=id"
    assert listings.read(saved.query).columns == ("event", "id")
    page = olive.get(f"{AT}{saved.query}").content.decode()
    assert "Ids" in page
    assert 'aria-current="true"' in page


def test_clearing_a_filter_keeps_them_and_choosing_them_narrows_nothing():
    filters = Filters(outcome="failed", columns=("event", "id"))
    assert Filters(columns=("event", "id")).narrowed is False
    assert filters.cleared == "?columns=event&columns=id"
    assert filters.rows.address() == "?outcome=failed"


def test_the_file_has_those_that_were_chosen(olive):
    def rows(query):
        answer = olive.get(f"{AT}export/?as=csv{query}")
        return list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"))))

    assert rows("&columns=id&columns=took") == [["Event", "Delivery id", "Took"], ["order.placed", "id-1", "1.800"]]
    assert len(rows("")[0]) == len(columns.IN_FILE)
