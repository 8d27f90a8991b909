"""One alert for a supplier and a condition, whoever looks; what people do about it; what is told, and what is not."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from organizer.accounts.models import AuditEntry, Membership, Role
from organizer.alerts import actions, transitions, watching
from organizer.alerts.models import Alert, Move, Sending
from tests.support import alerts, deliveries
from tests.support.cast import person

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
AT_ONCE = 8


def path(alert):
    return [one.after for one in Move.objects.filter(alert=alert).order_by("id")]


def told():
    return [(one.channel, one.kind) for one in Sending.objects.order_by("created_at", "id")]


def at_once(work):
    start = threading.Barrier(AT_ONCE)

    def one(_number):
        try:
            start.wait(20)
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, range(AT_ONCE)))


@pytest.mark.django_db(transaction=True)
def test_several_at_once_open_one_and_resolve_it_once(cast, vendor, refuse, now):
    refuse(30)
    at_once(lambda: watching.look(cast.organization, now))
    [alert] = Alert.objects.all()
    assert path(alert) == ["open"]
    at_once(lambda: watching.look(cast.organization, now + 70 * MINUTE))
    assert path(alert) == ["open", "resolved"]
    assert told() == [("mail", "alert.opened"), ("mail", "alert.resolved")]


@pytest.mark.django_db(transaction=True)
def test_the_database_lets_one_be(cast, vendor, now):
    finding = alerts.finding(vendor, at=now)
    opened = at_once(lambda: transitions.open_one(cast.organization, finding, now))
    assert len([one for one in opened if one]) == 1
    assert Alert.objects.count() == Move.objects.count() == 1


@pytest.mark.django_db
class TestPeople:
    @pytest.fixture
    def alert(self, refuse, look):
        refuse(30)
        look()
        return Alert.objects.select_related("organization", "vendor").get()

    def test_acknowledged_it_stays_so_and_is_over_by_itself(self, alert, look, cast):
        actions.acknowledge(alert=alert, by=cast.olive, note="I ask them")
        look(1)
        alert.refresh_from_db()
        assert alert.state == "acknowledged"
        look(70)
        assert path(alert) == ["open", "acknowledged", "resolved"]
        assert alert.moves.get(after="acknowledged").note == "I ask them"

    def test_resolved_by_a_person_it_comes_again_only_after_it_was_over(self, alert, look, refuse, cast):
        actions.resolve(alert=alert, by=cast.olive)
        look(1)
        assert path(alert) == ["open", "resolved"]
        assert Alert.objects.count() == 1
        look(70)
        refuse(30, ago=-75 * MINUTE)
        look(80)
        assert Alert.objects.filter(state="open").count() == 1
        assert Alert.objects.count() == 2

    def test_ignored_for_a_time_it_opens_again_if_it_is_still_so(self, alert, look, refuse, cast, now):
        actions.ignore(alert=alert, by=cast.olive, until=now + HOUR)
        refuse(30, ago=-50 * MINUTE)
        look(59)
        assert path(alert) == ["open", "ignored"]
        look(60)
        assert path(alert) == ["open", "ignored", "open"]
        assert told() == [("mail", "alert.opened")] * 2

    def test_ignored_for_a_time_and_over_meanwhile_nobody_is_told(self, alert, look, cast, now):
        actions.ignore(alert=alert, by=cast.olive, until=now + 2 * HOUR)
        look(70)
        look(120)
        alert.refresh_from_db()
        assert (alert.state, alert.closed, told()) == ("resolved", True, [("mail", "alert.opened")])

    def test_ignored_for_good_it_never_tells_again(self, alert, look, refuse, cast):
        actions.ignore(alert=alert, by=cast.olive, until=None)
        look(70)
        refuse(30, ago=-30 * DAY)
        look(30 * 24 * 60 + 5)
        assert Alert.objects.count() == 1
        assert told() == [("mail", "alert.opened")]

    def test_open_again_is_resolved_if_it_is_over_by_now(self, alert, look, cast):
        actions.ignore(alert=alert, by=cast.olive, until=None)
        look(70)
        alert.refresh_from_db()
        actions.reopen(alert=alert, by=cast.olive)
        assert (alert.state, alert.closed) == ("resolved", True)

    def test_takes_an_acknowledgement_back(self, alert, cast):
        actions.acknowledge(alert=alert, by=cast.olive)
        actions.reopen(alert=alert, by=cast.olive)
        assert path(alert) == ["open", "acknowledged", "open"]

    def test_what_is_closed_stays_closed(self, alert, look, cast):
        look(70)
        alert.refresh_from_db()
        for act in (actions.acknowledge, actions.resolve, actions.reopen):
            with pytest.raises(actions.CouldNotChange):
                act(alert=alert, by=cast.olive)

    def test_whoever_is_second_is_told_so(self, alert, cast):
        again = Alert.objects.get(pk=alert.pk)
        actions.resolve(alert=alert, by=cast.olive)
        with pytest.raises(actions.CouldNotChange):
            actions.acknowledge(alert=again, by=cast.olive)
        assert path(alert) == ["open", "resolved"]

    def test_each_change_is_in_the_trail(self, alert, look, cast):
        actions.acknowledge(alert=alert, by=cast.olive, note="mine")
        look(70)
        entries = AuditEntry.objects.filter(target_type="alerts.alert").order_by("id")
        assert [(one.verb, one.by_name) for one in entries] == [
            ("alert.open", "system"), ("alert.acknowledge", str(cast.olive)), ("alert.resolve", "system"),
        ]  # fmt: skip
        assert entries[1].after == {"state": "acknowledged", "note": "mine"}


@pytest.mark.django_db
class TestTold:
    def test_owners_and_admins_by_mail_unless_they_chose_otherwise(self, cast, vendor):
        ada = person("Ada", cast.organization, Role.ADMIN)
        alerts.opened(vendor, "failed")
        assert {one.user for one in Sending.objects.all()} == {cast.olive, ada}
        actions.choose_mails(organization=cast.organization, wanting=[ada.pk, cast.max.pk], by=cast.olive)
        Sending.objects.all().delete()
        alerts.opened(vendor, "waiting")
        assert {one.user for one in Sending.objects.all()} == {ada, cast.max}

    def test_a_choice_outlives_a_role(self, cast, vendor):
        actions.choose_mails(organization=cast.organization, wanting=[cast.max.pk], by=cast.olive)
        Membership.objects.filter(user=cast.olive).update(role=Role.ADMIN)
        alerts.opened(vendor, "failed")
        assert [one.user for one in Sending.objects.all()] == [cast.max]

    def test_machines_are_told_what_people_do_and_people_are_not(self, cast, vendor):
        alerts.hooked(cast.organization, cast.olive)
        alert = alerts.opened(vendor, "failed")
        actions.acknowledge(alert=alert, by=cast.olive)
        assert told() == [("hook", "alert.opened"), ("mail", "alert.opened"), ("hook", "alert.acknowledged")]

    def test_another_organization_hears_nothing(self, cast, vendor):
        alerts.hooked(cast.elsewhere, cast.sam)
        alerts.opened(vendor, "failed")
        assert {one.organization for one in Sending.objects.all()} == {cast.organization}

    def test_a_switched_off_address_is_not_written_to(self, cast, vendor):
        hook, _secret = alerts.hooked(cast.organization, cast.olive)
        actions.switch_hook(hook=hook, on=False, by=cast.olive)
        alerts.opened(vendor, "failed")
        assert told() == [("mail", "alert.opened")]


@pytest.mark.django_db
def test_one_organizations_trouble_is_not_the_others(cast, vendor, refuse, now):
    """What cannot be read of one does not keep the next from being looked at."""
    other = deliveries.vendor(cast.elsewhere, cast.sam, key="other")
    watch = actions.Watch.objects.create(organization=cast.elsewhere, limits={"rejects_floor": "many"})
    refuse(30)
    alerts.refused(other, 30, at=now - 5 * MINUTE)
    watching.look_everywhere(now)
    assert [one.vendor for one in Alert.objects.all()] == [vendor]
    watch.delete()
    watching.look_everywhere(now)
    assert {one.vendor for one in Alert.objects.all()} == {vendor, other}
