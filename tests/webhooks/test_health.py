"""How suppliers have been: shares, times, what was refused and why, how asking them goes; for one and for many."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from organizer.orders.models import Gate
from organizer.webhooks import health, suppliers, tallies
from organizer.webhooks.models import Delivery, Reconciliation, Rejection, Tally
from organizer.webhooks.suppliers import VendorRow
from organizer.webhooks.tallies import Span
from tests.orders import stand
from tests.support import deliveries
from tests.support.deliveries import delivered, posted, settle

pytestmark = pytest.mark.django_db
AT = "/o/harbour/webhooks/suppliers/"
HOUR = timedelta(hours=1)


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def acme(cast):
    return deliveries.vendor(cast.organization, cast.olive)


def came(outcome, number=1, *, key="acme", ago=HOUR, took=timedelta(seconds=2)):
    for _n in range(number):
        one = delivered(key, {"reference": f"R-{Delivery.objects.count()}"}, ago=ago)
        if outcome != "waiting":
            settle(one, outcome, took)
    return one


def of(vendor):
    return health.of(vendor, timezone.now())


def text(answer):
    return " ".join(answer.content.decode().split())


def test_tells_shares_of_what_was_asked_about(acme):
    came("changed", 2)
    came("unchanged")
    came("no_match")
    came("waiting")
    came("stored_only")
    came("test")
    again = came("changed")
    Delivery.objects.filter(pk=again.pk).update(duplicates=3)
    found = of(acme)
    assert found.tally.total == 7
    assert (found.success, found.duplicates) == ("80 %", "14.3 %")
    assert [number for _word, _kind, number in found.heads] == [6, 1, 0, 0]


def test_tells_how_soon_half_and_nearly_all_came_to_something(acme):
    for seconds in range(1, 101):
        came("changed", took=timedelta(seconds=seconds)) if seconds % 10 == 0 else None
    came("stored_only", took=timedelta(hours=9))
    found = of(acme)
    assert (found.half, found.nearly_all) == ("50.0 s", "2 min")
    assert len(found.took) == 10


def test_draws_what_came_when_it_came(acme):
    came("failed", 2, ago=timedelta(days=3))
    came("changed", ago=timedelta(days=8))
    Tally.objects.create(
        of=acme.pk.hex, minute=timezone.now() - timedelta(days=2), reason="signature_invalid", number=5
    )
    found = of(acme)
    assert len(found.slots) == 28
    filled = {slot.since <= timezone.now() - timedelta(days=3) < slot.until: slot.numbers for slot in found.filled}
    assert filled == {True: [0, 0, 2, 0], False: [0, 0, 0, 5]}
    assert found.slots[-1].since <= timezone.now() < found.slots[-1].until
    assert [mark.text for mark in found.drawing.ticks] == [*dict.fromkeys(mark.text for mark in found.drawing.ticks)]


def test_counts_the_newest_of_a_slot_and_says_so(acme, olive, monkeypatch):
    monkeypatch.setattr(health, "MOST_IN_SLOT", 3)
    at = of(acme).slots[-2]
    ago = timezone.now() - (at.since + HOUR)
    came("failed", 2, ago=ago + timedelta(minutes=30))
    came("changed", 3, ago=ago)
    found = of(acme)
    assert (found.tally.total, found.success, found.tally.full) == (3, "100 %", True)
    assert "Of each six hours the newest 1,000 are counted." in text(olive.get(f"{AT}{acme.pk}/"))


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (None, ""),
        (0.0, "0 %"),
        (0.0001, "< 0.1 %"),
        (0.5, "50 %"),
        (0.1234, "12.3 %"),
        (0.9999, "99.9 %"),
        (1, "100 %"),
    ],
)
def test_calls_nothing_all_that_is_not(share, said):
    assert health.percent(share) == said


def test_says_what_was_refused_with_its_fix_and_where_to_see_it(acme, olive):
    for _n in range(3):
        posted("acme", b"{}", secret="wrong")
    posted("acme", b"{}", secret="")
    said = text(olive.get(f"{AT}{acme.pk}/"))
    assert [(one.reason, one.number) for one in of(acme).refused] == [
        ("signature_invalid", 3),
        ("signature_missing", 1),
    ]
    assert "?vendor=acme&amp;range=7d&amp;reason=signature_invalid" in said
    assert "Another secret, or the body was changed after it was signed." in said


def test_says_what_no_delivery_had_told_of(acme, olive):
    now = timezone.now()
    for number, (missed, outcome) in enumerate([(True, "changed"), (False, "changed"), (True, "unchanged")]):
        Reconciliation.objects.create(
            organization=acme.organization, vendor=acme, reference=f"R-{number}", cause="periodic", started_at=now,
            finished_at=now, outcome=outcome, missed=missed,
        )  # fmt: skip
    Reconciliation.objects.update_or_create(
        vendor=acme, reference="old", outcome="changed", missed=True, organization=acme.organization, cause="periodic",
        started_at=now, finished_at=now - timedelta(days=9),
    )  # fmt: skip
    came("changed")
    assert of(acme).missed == "50 %"
    assert "1 of 2" in text(olive.get(f"{AT}{acme.pk}/"))
    assert "50 %" in text(olive.get(AT))


def test_an_empty_one_teaches_what_will_be_there(acme, olive):
    assert "Nothing came. Once it delivers" in text(olive.get(f"{AT}{acme.pk}/"))


# --- asking it ---


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "It answers"),
        ({"failures": 1, "problem": "It said 500."}, "It did not answer as it should"),
        ({"failures": 5, "rests_until": HOUR, "problem": "It said 500."}, "It failed again and again."),
        ({"slow_until": HOUR}, "It answers slowly"),
    ],
)
def test_says_how_asking_it_goes(cast, olive, fault_server, changes, said):
    vendor = stand.add_vendor(cast.organization, stand.Supplier(fault_server).url)
    stand.placed(vendor)
    now = timezone.now()
    changes = {name: now + value if isinstance(value, timedelta) else value for name, value in changes.items()}
    Gate.objects.create(vendor=vendor, slot_at=now, **changes)
    stand.Pulse.objects.update_or_create(process="w", defaults={"at": now})
    assert of(vendor).checks.steps[0].title.startswith(said)
    assert said in text(olive.get(f"{AT}{vendor.pk}/"))


def test_says_which_orders_are_late_and_why(cast, olive, fault_server):
    vendor = stand.add_vendor(cast.organization, stand.Supplier(fault_server).url)
    order = stand.placed(vendor)
    hours_ago = timezone.now() - 3 * HOUR
    type(order).objects.filter(pk=order.pk).update(state_read_at=hours_ago, state_due_at=hours_ago)
    stand.Connection.objects.update(health="key_refused", health_message="It said 401.")
    said = text(olive.get(f"{AT}{vendor.pk}/"))
    assert "It refuses our key" in said
    assert "It said 401." in said
    assert f"1 order of {vendor.name} not checked in time: it refuses our key." in said


def test_says_that_one_without_an_address_cannot_be_asked(acme):
    assert [step.title for step in of(acme).checks.steps] == ["It cannot be asked"]


# --- the list ---


def test_the_list_reads_as_much_for_many_as_for_one(cast, olive, acme, django_assert_num_queries):
    came("changed", 2)
    with connection.execute_wrapper(counter := Counter()):
        olive.get(AT)
    one = counter.number
    for n in range(6):
        deliveries.vendor(cast.organization, cast.olive, f"more-{n}")
        came("failed", key=f"more-{n}")
        posted(f"more-{n}", b"{}", secret="wrong")
    with django_assert_num_queries(one):
        answer = olive.get(AT)
    rows = answer.context["rows"]
    assert [(row.success, row.refusals, row.deliveries) for row in rows] == [("100 %", 0, 2), *[("0 %", 1, 1)] * 6]
    assert rows[1].is_poor


class Counter:
    number = 0

    def __call__(self, execute, sql, params, many, context):
        self.number += 1
        return execute(sql, params, many, context)


def test_one_that_sends_much_hides_nothing_of_one_that_sends_little(cast, acme, monkeypatch):
    monkeypatch.setattr(suppliers, "MOST_IN_LIST", 3)
    deliveries.vendor(cast.organization, cast.olive, "quiet")
    came("failed", key="quiet", ago=timedelta(days=6))
    came("changed", 5)
    quick, quiet = suppliers.rows_of(list(type(acme).objects.order_by("key")), timezone.now(), most=3)
    assert (quick.deliveries, quick.is_more, quick.success) == (3, True, "100 %")
    assert (quiet.deliveries, quiet.is_more, quiet.success) == (0, False, "0 %")


def test_tests_of_ours_count_for_nothing(acme, olive):
    came("test")
    row = VendorRow.of(acme, timezone.now())
    assert (row.last_at, row.deliveries, row.success, row.state[2]) == (None, 0, "", "Nothing yet")
    assert [tick.done for tick in suppliers.checklist(row).ticks] == [False] * 4
    assert of(acme).is_empty
    assert not Rejection.objects.exists()


def test_counts_in_several_statements_what_is_too_much_for_one(acme, monkeypatch):
    monkeypatch.setattr(tallies, "AT_ONCE", 2)
    came("changed", 2)
    now = timezone.now()
    spans = [Span(acme.pk, now - hours * HOUR, now, 9) for hours in (3, 0, 5, 2, 0)]
    assert [tally.total for tally in tallies.counted(spans)] == [2, 0, 2, 2, 0]
