"""Each condition over real rows: it opens, does not open just below, is over by itself, and does not flap."""

from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.alerts import actions, volumes
from organizer.alerts.models import Alert, Volume
from organizer.alerts.rules import Limits
from organizer.orders.models import Order
from organizer.webhooks import actions as webhooks
from organizer.webhooks.models import Delivery, Tally, Vendor, VendorSecret
from tests.orders import stand
from tests.support import mirror

pytestmark = pytest.mark.django_db
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def told():
    """Condition and state of each alert, in the order in which they opened."""
    return [(one.condition, one.state) for one in Alert.objects.order_by("opened_at", "id")]


class TestRejects:
    def test_opens_and_is_over_below_half(self, refuse, look):
        refuse(19)
        look()
        assert told() == []
        refuse(1)
        look()
        assert told() == [("rejects", "open")]
        Tally.objects.update(number=10)
        look(1)
        assert told() == [("rejects", "open")]
        Tally.objects.update(number=9)
        look(2)
        assert told() == [("rejects", "resolved")]
        Tally.objects.update(number=19)
        look(3)
        assert told() == [("rejects", "resolved")]

    def test_is_measured_against_the_suppliers_own_usual(self, refuse, look):
        for hours in range(2, 168):
            refuse(10, ago=hours * HOUR)
        refuse(45)
        look()
        assert told() == []
        refuse(10)
        look()
        [alert] = Alert.objects.all()
        assert alert.measured == {"recent": 55, "usual": 9.9, "line": 49}

    def test_is_over_when_nothing_more_is_refused(self, refuse, look):
        refuse(30)
        look()
        look(70)
        assert told() == [("rejects", "resolved")]

    def test_is_of_the_supplier_that_it_is_about(self, refuse, look, cast, vendor):
        other = webhooks.add_vendor(
            organization=cast.organization, key="other", name="", auth="ip", allowed=["127.0.0.1"], by=None
        )
        refuse(30)
        look()
        assert [one.vendor for one in Alert.objects.all()] == [vendor]
        assert other.pk != vendor.pk


class TestNoMatch:
    def test_opens_and_is_over(self, store, look):
        store(8)
        store(2, outcome="no_match")
        look()
        assert told() == []
        store(1, outcome="no_match")
        look()
        assert told() == [("no_match", "open")]
        store(10)  # 3 of 21 are 14 %
        look(1)
        assert told() == [("no_match", "open")]
        store(10)  # 3 of 31 are under half of the line
        look(2)
        assert told() == [("no_match", "resolved")]

    def test_a_few_say_nothing(self, store, look):
        store(9, outcome="no_match")
        look()
        assert told() == []

    def test_what_waits_is_not_counted(self, store, look):
        store(7)
        store(3, outcome="no_match")
        store(50, outcome="waiting", ago=timedelta(seconds=10))
        look()
        assert told() == [("no_match", "open")]


class TestFailed:
    def test_opens_and_is_over(self, store, look):
        store(20, outcome="failed")
        store(30)
        look()
        assert told() == []
        store(1, outcome="failed")
        look()
        assert told() == [("failed", "open")]
        Delivery.objects.filter(outcome="failed").update(outcome="changed")
        store(11, outcome="failed")
        look(1)
        assert told() == [("failed", "open")]
        look(60)
        assert told() == [("failed", "resolved")]


class TestWaiting:
    def test_opens_and_is_over(self, store, look):
        [one] = store(outcome="waiting", ago=timedelta(seconds=119))
        look()
        assert told() == []
        look(0.1)
        assert told() == [("waiting", "open")]
        Delivery.objects.filter(pk=one.pk).update(outcome="changed")
        [next_one] = store(outcome="waiting", ago=-MINUTE)
        look(2.1)  # 66 s: over the line at which it is over
        assert told() == [("waiting", "open")]
        Delivery.objects.filter(pk=next_one.pk).update(outcome="changed")
        look(2.2)
        assert told() == [("waiting", "resolved")]


class TestQuiet:
    def test_opens_and_is_over_with_the_next_delivery(self, store, look):
        store(300, ago=HOUR, apart=20 * MINUTE)
        look(59)
        assert told() == []
        look(61)
        [alert] = Alert.objects.all()
        assert (alert.condition, alert.measured["usual"], alert.measured["line"]) == ("quiet", 1200, 7200)
        look(300)
        store(ago=-300 * MINUTE)
        look(301)
        assert told() == [("quiet", "resolved")]
        look(410)
        assert told() == [("quiet", "resolved")]

    def test_knows_weekends_from_weeks_of_many_deliveries(self, store, look):
        """The latest 200 lie within hours; the long gaps lie before them."""
        store(250, ago=10 * HOUR, apart=MINUTE)
        for day in range(1, 25):
            store(20, ago=day * DAY + 10 * HOUR, apart=MINUTE)
        look(35 * 60)
        assert told() == []
        look(38 * 60)  # more than twice the gap of a day less 20 minutes
        assert told() == [("quiet", "open")]

    def test_who_rarely_calls_and_who_is_new_do_not_alarm(self, store, look):
        store(5, ago=30 * DAY, apart=7 * DAY)
        look()
        assert told() == []

    def test_who_is_switched_off_is_not_missed(self, store, look, vendor):
        store(300, ago=3 * DAY, apart=20 * MINUTE)
        look()
        assert told() == [("quiet", "open")]
        Vendor.objects.filter(pk=vendor.pk).update(active=False)
        look(1)
        assert told() == [("quiet", "resolved")]


class TestOldSecret:
    @pytest.fixture
    def rotated(self, vendor, now):
        """A day ago, with five hours left; the old one was used an hour ago."""
        webhooks.rotate_secret(vendor=vendor, secret="another secret that is long", by=None, overlap=HOUR)
        VendorSecret.objects.filter(ends_at=None).update(created_at=now - DAY)
        old = VendorSecret.objects.exclude(ends_at=None)
        old.update(ends_at=now + 5 * HOUR, used_at=now - HOUR)
        return old

    def test_opens_and_is_over_at_its_end(self, rotated, look):
        look()
        [alert] = Alert.objects.all()
        assert (alert.condition, alert.measured["number"]) == ("old_secret", 1)
        look(301)
        assert told() == [("old_secret", "resolved")]

    def test_not_long_before_its_end(self, rotated, look, now):
        rotated.update(ends_at=now + 7 * HOUR)
        look()
        assert told() == []

    def test_not_if_nobody_uses_it(self, rotated, look, now):
        rotated.update(used_at=now - 2 * DAY)
        look()
        assert told() == []


class TestLate:
    @pytest.fixture
    def order(self, cast):
        supplier = stand.add_vendor(cast.organization, f"{mirror.NOBODY}/api/vendor/v1")
        return stand.place(supplier)

    def read(self, order, at):
        Order.objects.filter(pk=order.pk).update(
            state_read_at=at, state_due_at=at, fulfilment_read_at=timezone.now() + DAY, fulfilment_due_at=None
        )

    def test_opens_says_why_and_is_over(self, order, look, now):
        self.read(order, now - 61 * MINUTE)
        look()
        assert told() == []
        look(2)
        [alert] = Alert.objects.all()
        assert (alert.condition, alert.measured["late"]) == ("late", 1)
        assert "worker is not running" in alert.measured["why"]
        self.read(order, now)
        look(3)
        assert told() == [("late", "resolved")]


class TestGrowth:
    def test_opens_and_is_over(self, store, look, cast, vendor):
        actions.set_limits(organization=cast.organization, limits=Limits(growth_rows=10), by=cast.olive)
        store(10, ago=HOUR)
        look()
        assert told() == []
        store(1, ago=3 * HOUR)
        Volume.objects.all().delete()
        look()
        assert told() == [("growth", "open")]
        look(24 * 60)
        assert told() == [("growth", "resolved")]

    def test_bytes_count_as_well(self, store, look, cast):
        actions.set_limits(organization=cast.organization, limits=Limits(growth_megabytes=1), by=cast.olive)
        store(20, ago=HOUR, body_size=60_000)
        look()
        [alert] = Alert.objects.all()
        assert alert.measured == {"rows": 20, "bytes": 1_200_000}

    def test_counts_an_hour_once(self, store, cast, now, vendor, django_assert_max_num_queries):
        store(3, ago=HOUR)
        volumes.count(cast.organization, now)
        with django_assert_max_num_queries(1):
            volumes.count(cast.organization, now)
        assert volumes.of_day(cast.organization, now) == (3, 3)


def test_a_condition_that_is_switched_off_does_not_open_and_what_is_open_is_over(refuse, look, cast):
    refuse(30)
    look()
    actions.set_limits(organization=cast.organization, limits=Limits(off=("rejects",)), by=cast.olive)
    look(1)
    assert told() == [("rejects", "resolved")]
    look(2)
    assert told() == [("rejects", "resolved")]


def test_the_next_time_is_another_alert(refuse, look):
    refuse(30)
    look()
    look(70)
    refuse(30, ago=-75 * MINUTE)
    look(80)
    assert told() == [("rejects", "resolved"), ("rejects", "open")]


def test_looks_with_few_queries_where_nothing_is_wrong(store, look, django_assert_max_num_queries):
    store(50, apart=MINUTE)
    look()
    with django_assert_max_num_queries(14):
        look()
