"""The list of deliveries: each filter, the search, its pages, what is drawn above it, and what comes meanwhile."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.accounts.models import AuditEntry
from organizer.lists.models import SavedView
from organizer.webhooks import deliveries as listed
from organizer.webhooks import histogram, registry
from organizer.webhooks.models import Delivery
from tests.support import deliveries
from tests.support.deliveries import delivered, settle

pytestmark = pytest.mark.django_db
AT = "/o/harbour/webhooks/"
MINUTES = [timedelta(minutes=number) for number in range(60)]


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def acme(cast):
    return deliveries.vendor(cast.organization, cast.olive)


@pytest.fixture
def log(cast, acme):
    """One of each kind, the newest first in time: a to g."""
    deliveries.vendor(cast.organization, cast.olive, "tessera", "ip", allowed=["127.0.0.1"])
    rows = {
        "a": delivered("acme", {"event": "order.accepted", "reference": "R-1"}, ago=MINUTES[1], X_Webhook_Id="id-a"),
        "b": delivered("acme", {"event": "order.placed", "reference": "R-10"}, ago=timedelta(seconds=90)),
        "c": delivered("acme", {"event": "order.placed", "reference": "r-1"}, ago=MINUTES[3]),
        "d": delivered("tessera", {"event": "ping"}, ago=MINUTES[4], secret=""),
        "e": delivered("acme", {"reference": "R-1", "order_id": "S-9"}, ago=MINUTES[5]),
        "f": delivered("acme", {"reference": "R-7"}, ago=timedelta(hours=30)),
        "g": delivered("acme", {"reference": "R-8"}, ago=timedelta(days=20)),
    }
    deliveries.posted("acme", b"{}", X_Webhook_Id="id-a")
    for name, outcome in {"a": "changed", "c": "failed", "e": "no_match"}.items():
        settle(rows[name], outcome)
    return rows


def shown(client, log, query=""):
    """The names of the rows that the list shows, in its order."""
    names = {row.pk: name for name, row in log.items()}
    page = client.get(f"{AT}?{query}").content.decode()
    return "".join(names[int(pk)] for pk in re.findall(r'<tbody id="delivery-(\d+)"', page))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "abcde"), ("range=1h", "abcde"), ("range=7d", "abcdef"), ("range=30d", "abcdefg"), ("range=x", "abcde"),
        ("outcome=changed", "a"), ("outcome=failed", "c"), ("outcome=stored_only", "d"), ("outcome=waiting", "b"),
        ("outcome=no_match", "e"), ("outcome=nothing", "abcde"), ("late=1", ""), ("late=1&range=30d", "fg"),
        ("vendor=tessera", "d"), ("vendor=acme", "abce"), ("vendor=nobody", ""),
        ("event=order.placed", "bc"), ("event=order", ""),
        ("auth=ip", "d"), ("auth=hmac", "abce"), ("auth=old", ""),
        ("repeated=1", "a"), ("odd=1", "ae"), ("odd=1&repeated=1", "a"), ("outcome=changed&vendor=tessera", ""),
        ("q=R-1", "ab"), ("q=R-10", "b"), ("q=R-7", "f"), ("q=R-7&range=24h", ""), ("q=id-a", "a"), ("q=id-", ""),
        ("q=order.placed", "bc"), ("q=ping", "d"), ("q=127.0.0.1", "abcdefg"), ("q=127.0.0.2", ""), ("q=%25", ""),
        ("q=S", "e"), ("q=R-%25", ""),
    ],
)  # fmt: skip
def test_shows_what_is_asked_for(olive, log, query, expected):
    assert shown(olive, log, query) == expected


def test_shows_a_time_of_ones_own_on_ones_own_clock(olive, log):
    olive.cookies["foyer_zone"] = "Asia/Tokyo"
    at = log["c"].received_at.astimezone(timezone.get_fixed_timezone(9 * 60))
    assert shown(olive, log, f"since={at:%Y-%m-%dT%H:%M:%S}") == "abc"
    assert shown(olive, log, f"since={log['c'].received_at:%Y-%m-%dT%H:%M:%SZ}") == "abc"
    assert "abc" not in shown(olive, log, f"until={at:%Y-%m-%dT%H:%M:%S}")


def test_marks_a_delivery_by_the_old_secret(olive, acme, cast):
    from organizer.webhooks import actions

    actions.rotate_secret(vendor=acme, secret="a fresh secret", by=cast.olive, overlap=timedelta(hours=1))
    log = {
        "o": delivered("acme", {"reference": "1"}),
        "n": delivered("acme", {"reference": "2"}, secret="a fresh secret"),
    }
    assert shown(olive, log, "auth=old") == "o"
    assert shown(olive, log, "auth=hmac") == "n"
    assert "Old secret</span>" in olive.get(AT).content.decode()


def test_pages_by_key_and_loses_nothing_that_came_at_one_moment(olive, acme):
    rows = {str(number): delivered("acme", {"reference": str(number)}) for number in range(120)}
    Delivery.objects.update(received_at=timezone.now())
    seen, after = [], ""
    while True:
        answer = olive.get(f"{AT}?after={after}")
        seen += [row.delivery.pk for row in answer.context["rows"]]
        after = answer.context["page"].next_cursor
        if not after:
            break
    assert seen == sorted((row.pk for row in rows.values()), reverse=True)


def test_stops_counting(olive, log, monkeypatch):
    monkeypatch.setattr(listed, "MOST_COUNTED", 3)
    monkeypatch.setattr("organizer.webhooks.queries.MOST_COUNTED", 3)
    assert olive.get(AT).context["scope"].is_more
    assert "≥ 10,000" in olive.get(AT).content.decode()


# --- the histogram ---


def drawn(olive, query=""):
    found = olive.get(f"{AT}?{query}").context["histogram"]
    return found, {outcome: row.count for row in found.key for outcome in [row.outcome.value] if row.count}


def test_draws_what_the_list_shows(olive, log):
    found, counts = drawn(olive)
    assert counts == {"changed": 1, "waiting": 1, "failed": 1, "stored_only": 1, "no_match": 1}
    assert drawn(olive, "vendor=tessera")[1] == {"stored_only": 1}
    assert drawn(olive, "range=30d")[1]["waiting"] == 3
    assert len(found.bars) == 73  # of 20 minutes, whole ones


@pytest.mark.parametrize("query", ["range=1h", "range=24h", "range=7d", "range=30d", "until=2030-01-01T00:00:00Z"])
def test_a_bar_leads_to_its_own_deliveries(olive, log, query):
    for bar in drawn(olive, query)[0].filled:
        assert olive.get(AT + bar.address).context["scope"].count == bar.total


def test_says_where_it_stops_drawing(olive, log, monkeypatch):
    monkeypatch.setattr("organizer.webhooks.deliveries.MOST_COUNTED", 1)
    monkeypatch.setattr("organizer.webhooks.queries.MOST_COUNTED", 1)
    monkeypatch.setattr(histogram, "MOST_DRAWN", 2)
    found, counts = drawn(olive)
    assert found.is_cut
    assert sum(counts.values()) == 2
    monkeypatch.setattr(histogram, "MOST_DRAWN", 5)
    assert not drawn(olive)[0].is_cut


# --- while it is open ---


def news(olive, query="", rows=()):
    newest = olive.get(f"{AT}?{query}").context["rows"][0].delivery.received_at
    asked = {"newest": newest.isoformat(), "row": list(rows)}
    return lambda: olive.get(f"{AT}news/?{query}", asked | dict(part.split("=") for part in query.split("&") if part))


def test_announces_what_has_come_and_moves_nothing(olive, log):
    ask = news(olive)
    assert b"new" not in ask().content
    delivered("acme", {"reference": "R-50"})
    delivered("tessera", {"reference": "R-51"}, secret="")
    assert b"2 new, show them" in ask().content
    assert b"<tbody" not in ask().content
    of_one = news(olive, "vendor=acme")
    delivered("tessera", {"reference": "R-52"}, secret="")
    assert b"new" not in of_one().content


def test_sends_the_rows_that_say_something_else(olive, log):
    versions = [f"{row.delivery.pk}.{row.version}" for row in olive.get(AT).context["rows"]]
    ask = news(olive, rows=versions)
    assert b"<tbody" not in ask().content
    settle(log["b"], "changed")
    said = ask().content.decode()
    assert re.findall(r'<tbody id="delivery-(\d+)"', said) == [str(log["b"].pk)]
    assert 'hx-swap-oob="morph"' in said


def test_does_not_ask_while_it_is_paused(olive, log):
    assert "every 3000ms" in olive.get(AT).content.decode()
    assert "every 3000ms" not in olive.get(f"{AT}?paused=1").content.decode()


def test_swaps_the_list_alone(olive, log):
    said = olive.get(AT, headers={"HX-Request": "true", "HX-Target": "deliveries"}).content.decode()
    assert "<html" not in said
    assert 'id="deliveries"' in said
    assert 'id="list-export" hx-swap-oob="true"' in said


# --- to keep and to take along ---


def test_opens_with_the_view_that_was_saved(olive, cast):
    said = {"listing": "deliveries", "name": "Mine", "query": "?outcome=failed&range=7d&x=1", "first": "on"}
    olive.post("/o/harbour/views/save/", said)
    assert SavedView.objects.get().query == "?range=7d&outcome=failed"
    assert olive.get(AT)["Location"] == f"{AT}?range=7d&outcome=failed"
    assert olive.get(f"{AT}?range=24h").status_code == 200


def test_is_taken_along_without_bodies(olive, log):
    answer = olive.get(f"{AT}export/?as=csv&vendor=acme")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert [row[3] for row in rows[1:]] == ["R-1", "R-10", "r-1", "S-9"]
    assert rows[1][1:3] == ["Changed", "order.accepted"]
    assert "{" not in text
    assert AuditEntry.objects.get(verb="deliveries.exported").after["filter"] == "?vendor=acme"
    assert olive.get(f"{AT}export/?as=xlsx").status_code == 200


def test_shows_no_markup_of_a_supplier(olive, acme):
    delivered("acme", {"event": "<script>x</script>", "reference": "<b>R</b>"})
    page = olive.get(AT).content.decode()
    assert "<script>x" not in page
    assert "<b>R" not in page


def test_lets_a_room_above_say_what_follows(olive, log, monkeypatch):
    class Orders(registry.Sequel):
        def links(self, deliveries):
            return {one.pk: f"/o/harbour/orders/{one.reference}/" for one in deliveries if one.reference}

        def excerpts(self, deliveries):
            return {log["c"].pk: "acme answered 503"}

        def tabs(self, organization):
            return [registry.Tab("orders", "Orders", "/o/harbour/orders/", "7")]

    monkeypatch.setattr(registry, "_sequel", Orders())
    page = olive.get(AT).content.decode()
    assert 'href="/o/harbour/orders/R-10/"' in page
    assert "acme answered 503" in page
    assert "Orders <span>7</span>" in page


def test_leads_those_who_may_there_and_nobody_else(client, cast):
    for person, there in ((cast.olive, True), (cast.max, False)):
        client.force_login(person)
        assert ('href="/o/harbour/webhooks/"' in client.get("/o/harbour/events/").content.decode()) is there
