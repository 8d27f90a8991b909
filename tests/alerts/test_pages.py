"""The pages: what they show, what is done there, and what bad input comes to."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.accounts.models import AuditEntry
from organizer.alerts import actions, queries
from organizer.alerts.models import Alert, Hook, Move, Sending
from organizer.webhooks.models import Delivery
from tests.support import alerts, deliveries, mirror

pytestmark = pytest.mark.django_db
HOME = "/o/harbour/webhooks/alerts/"


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def alert(vendor):
    return alerts.opened(vendor, "no_match")


def text(answer):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def page(client, alert):
    return f"{HOME}{alert.pk}/"


class TestList:
    def test_shows_what_is_current_and_leaves_out_what_is_over(self, olive, vendor, cast):
        alerts.opened(vendor, "failed")
        actions.acknowledge(alert=alerts.opened(vendor, "waiting"), by=cast.olive)
        actions.ignore(alert=alerts.opened(vendor, "quiet"), by=cast.olive, until=None)
        said = text(olive.get(HOME))
        assert "23 deliveries of an hour failed." in said
        assert "412 deliveries wait" in said
        assert "Nothing has come for" not in said
        assert "Current 2" in said
        ignored = text(olive.get(f"{HOME}?state=ignored"))
        assert "Nothing has come for" in ignored
        assert "for good" in ignored

    def test_is_filtered_by_supplier_and_condition(self, olive, vendor, cast):
        other = deliveries.vendor(cast.organization, cast.olive, key="tessera")
        alerts.opened(vendor, "failed")
        alerts.opened(other, "failed")
        alerts.opened(other, "waiting")
        rows = olive.get(f"{HOME}?vendor=tessera&condition=failed").context["rows"]
        assert [(row.alert.vendor, row.alert.condition) for row in rows] == [(other, "failed")]

    @pytest.mark.parametrize("asked", ["state=x", "vendor=%00", "condition=none", "after=broken", "state="])
    def test_shows_a_list_for_whatever_it_does_not_understand(self, olive, alert, asked):
        answer = olive.get(f"{HOME}?{asked}")
        assert [row.alert for row in answer.context["rows"]] == [alert]

    def test_teaches_the_next_step_where_nothing_is_wrong(self, olive):
        assert "Nothing is wrong" in text(olive.get(HOME))
        assert "No alert matches" in text(olive.get(f"{HOME}?state=resolved"))

    def test_acknowledges_many_at_once(self, olive, vendor, cast):
        made = [alerts.opened(vendor, name) for name in ("failed", "waiting", "quiet")]
        stranger = alerts.opened(deliveries.vendor(cast.elsewhere, cast.sam, key="other"))
        ids = [str(one.pk) for one in (*made[:2], stranger)]
        answer = olive.post(f"{HOME}acknowledge/", {"id": [*ids, "nonsense"], "next": f"{HOME}?state=open"})
        assert answer["Location"] == f"{HOME}?state=open"
        states = [Alert.objects.get(pk=one.pk).state for one in (*made, stranger)]
        assert states == ["acknowledged", "acknowledged", "open", "open"]

    def test_leads_nowhere_else(self, olive, alert):
        answer = olive.post(f"{HOME}acknowledge/", {"id": alert.pk, "next": "//evil.test/"})
        assert answer["Location"] == HOME

    def test_asks_as_many_queries_for_many_as_for_one(self, olive, cast, vendor, django_assert_max_num_queries):
        for number in range(30):
            alerts.opened(deliveries.vendor(cast.organization, cast.olive, key=f"many-{number}"))
        olive.get(HOME)
        with django_assert_max_num_queries(9):
            olive.get(HOME)


class TestDetail:
    def test_says_what_was_measured_and_what_to_do(self, olive, alert):
        said = text(olive.get(page(olive, alert)))
        assert "14 of 40 deliveries of an hour matched no order: 35 %." in said
        assert "Look at one of them" in said
        assert "by itself" in said

    def test_acknowledges_with_a_note(self, olive, alert, cast):
        answer = olive.post(f"{page(olive, alert)}acknowledge/", {"note": "I ask <them>"}, follow=True)
        said = answer.content.decode()
        assert "I ask &lt;them&gt;" in said
        assert Move.objects.get(after="acknowledged").by == cast.olive

    def test_ignores_until_then(self, olive, alert):
        olive.post(f"{page(olive, alert)}ignore/", {"until": "7d"})
        alert.refresh_from_db()
        assert timedelta(days=6, hours=23) < alert.ignored_until - timezone.now() <= timedelta(days=7)

    def test_takes_it_back(self, olive, alert):
        olive.post(f"{page(olive, alert)}resolve/")
        assert "it opens again only after it was over once" in text(olive.get(page(olive, alert)))
        olive.post(f"{page(olive, alert)}reopen/")
        alert.refresh_from_db()
        assert alert.state == "open"

    @pytest.mark.parametrize(
        ("act", "said"),
        [
            ("acknowledge", {"note": "x" * 1001}),
            ("resolve", {"note": "x" * 1001}),
            ("ignore", {"until": "ever", "note": "keep me"}),
        ],
    )
    def test_bad_input_is_said_and_nothing_is_lost(self, olive, alert, act, said):
        answer = olive.post(f"{page(olive, alert)}{act}/", said)
        assert answer.status_code == 422
        assert said["note"] in answer.content.decode()
        alert.refresh_from_db()
        assert alert.state == "open"

    def test_who_is_second_is_told_how_it_stands(self, olive, alert, cast):
        actions.resolve(alert=Alert.objects.get(pk=alert.pk), by=cast.olive)
        answer = olive.post(f"{page(olive, alert)}acknowledge/", follow=True)
        assert "Somebody else was quicker" in text(answer)

    @pytest.mark.parametrize("condition", alerts.MEASURED)
    def test_each_condition_has_its_page_and_a_link_that_leads_somewhere(self, olive, vendor, condition):
        one = alerts.opened(vendor, condition)
        answer = olive.get(page(olive, one))
        for link in answer.context["row"].links:
            assert olive.get(link.url).status_code == 200

    def test_leads_to_exactly_the_deliveries_that_it_is_about(self, olive, vendor, look, store, cast):
        about = store(5, outcome="no_match")
        store(5)
        store(3, outcome="no_match", ago=timedelta(hours=3))
        other = deliveries.vendor(cast.organization, cast.olive, key="tessera")
        store(3, outcome="no_match", vendor=other)
        look()
        one = Alert.objects.get()
        rows = olive.get(olive.get(page(olive, one)).context["row"].links[0].url).context["rows"]
        assert {row.delivery for row in rows} == set(about)
        assert Delivery.objects.count() == 16

    def test_says_why_requests_were_refused(self, olive, refuse, look):
        refuse(30)
        look()
        answer = olive.get(page(olive, Alert.objects.get()))
        assert "Wrong signature 30" in text(answer)
        led_to = olive.get(answer.context["row"].links[0].url)
        assert (led_to.context["rejected"].total, led_to.context["filters"].shown_range) == (30, "")


class TestElsewhere:
    def test_stands_at_the_top_of_the_suppliers_page(self, olive, vendor):
        one = alerts.opened(vendor, "quiet", last=(timezone.now() - timedelta(days=3)).isoformat())
        answer = olive.get(f"/o/harbour/webhooks/suppliers/{vendor.pk}/")
        assert "Nothing has come for 3 days; usually something comes every 20 min." in text(answer)
        assert page(olive, one) in answer.content.decode()

    def test_its_number_is_in_the_tab_in_the_navigation_and_on_overview(self, olive, vendor, cast):
        mirror.event(mirror.connection(cast.organization))
        alerts.opened(vendor, "failed")
        actions.acknowledge(alert=alerts.opened(vendor, "quiet"), by=cast.olive)
        assert "Alerts 1" in text(olive.get("/o/harbour/webhooks/suppliers/"))
        assert "Webhooks 1 open alerts" in text(olive.get("/o/harbour/settings/members/"))
        assert "1 alert is open" in text(olive.get("/o/harbour/"))

    def test_a_manager_hears_nothing_of_it(self, client, vendor, cast):
        mirror.event(mirror.connection(cast.organization))
        alerts.opened(vendor, "failed")
        client.force_login(cast.max)
        assert "open alerts" not in text(client.get("/o/harbour/guests/"))
        assert "alert is open" not in text(client.get("/o/harbour/"))

    def test_another_organizations_are_not_counted(self, olive, cast):
        alerts.opened(deliveries.vendor(cast.elsewhere, cast.sam, key="other"))
        assert queries.open_count(cast.organization) == 0
        assert "open alerts" not in text(olive.get("/o/harbour/guests/"))

    def test_the_frame_asks_no_query_more(self, olive, vendor, django_assert_num_queries):
        olive.get("/o/harbour/settings/members/")
        with django_assert_num_queries(5):
            assert "open alerts" not in text(olive.get("/o/harbour/settings/members/"))
        alerts.opened(vendor, "failed")
        with django_assert_num_queries(5):
            assert "open alerts" in text(olive.get("/o/harbour/settings/members/"))


class TestSettings:
    def kept(self, olive, **changes):
        form = olive.get(f"{HOME}settings/").context["limits_form"]
        said = {name: form[name].value() for name in form.fields} | changes
        return olive.post(f"{HOME}settings/", {name: value for name, value in said.items() if value is not False})

    def test_keeps_limits_and_writes_them_down(self, olive, cast):
        assert self.kept(olive, failed=3, watch_quiet=False).status_code == 302
        limits = queries.limits(cast.organization)
        assert (limits.failed, limits.watches("quiet"), limits.watches("late"), limits.late) == (3, False, True, 1)
        entry = AuditEntry.objects.get(verb="alerts.limits")
        assert (entry.before, entry.after) == ({"failed": 20, "off": []}, {"failed": 3, "off": ["quiet"]})

    def test_they_hold_from_the_next_look_on(self, olive, store, look):
        self.kept(olive, failed=2)
        store(3, outcome="failed")
        store(30)
        look()
        assert [one.condition for one in Alert.objects.all()] == ["failed"]

    @pytest.mark.parametrize("bad", [{"failed": ""}, {"failed": -1}, {"quiet_hours": "nan"}, {"late": 10**30}])
    def test_bad_limits_are_said_and_nothing_is_kept(self, olive, cast, bad):
        answer = self.kept(olive, rejects_floor=77, **bad)
        assert answer.status_code == 422
        assert 'value="77"' in answer.content.decode()
        assert queries.limits(cast.organization).rejects_floor == 20

    def test_who_is_told_by_mail(self, olive, cast):
        olive.post(f"{HOME}settings/mails/", {"user": [str(cast.max.pk)]})
        on = {row.member.user for row in olive.get(f"{HOME}settings/").context["mail_rows"] if row.on}
        assert on == {cast.max}
        assert AuditEntry.objects.filter(verb="alerts.mails").count() == 2

    def test_the_secret_is_shown_once(self, olive, cast):
        said = olive.post(f"{HOME}settings/webhook/", {"url": "https://alerts.example.test/in?key=abc"})
        [secret] = set(re.findall(r"whsec_[A-Za-z0-9+/=]{44}", said.content.decode()))
        assert secret not in olive.get(f"{HOME}settings/").content.decode()
        assert Hook.objects.get().last4 == secret[-4:]
        assert "abc" not in str(AuditEntry.objects.get(verb="alerts.hook").after)

    def test_another_machine_gets_another_secret_and_the_same_keeps_it(self, cast):
        hook, _secret = alerts.hooked(cast.organization, cast.olive, "https://one.test/a")
        assert actions.keep_hook(organization=cast.organization, url="https://one.test/b", by=cast.olive) == ""
        assert actions.keep_hook(organization=cast.organization, url="https://two.test/b", by=cast.olive)
        assert Hook.objects.get().pk == hook.pk

    @pytest.mark.parametrize(
        "url", ["", "ftp://x.test/", "https://", "https://[::1", "https://a:b@x.test/", "https://x.test/ y", "x" * 999]
    )
    def test_bad_addresses_are_said_and_stay_in_the_field(self, olive, url):
        answer = olive.post(f"{HOME}settings/webhook/", {"url": url})
        assert answer.status_code == 422
        assert f'value="{url}"' in answer.content.decode() or not url
        assert not Hook.objects.exists()

    def test_private_addresses_only_where_they_are_allowed(self, olive, settings):
        settings.FOYER_ALLOW_PRIVATE_ADDRESSES = False
        for url in ("http://alerts.example.test/", "https://10.0.0.1/", "https://localhost/"):
            assert olive.post(f"{HOME}settings/webhook/", {"url": url}).status_code == 422
        assert olive.post(f"{HOME}settings/webhook/", {"url": "https://alerts.example.test/"}).status_code == 200

    def test_a_test_is_written_and_stands_in_the_log(self, olive, cast):
        alerts.hooked(cast.organization, cast.olive)
        olive.post(f"{HOME}settings/webhook/test/")
        assert Sending.objects.get().kind == "alert.test"
        assert "alert.test" in text(olive.get(f"{HOME}settings/"))

    def test_another_organizations_log_is_not_shown(self, olive, cast):
        alerts.given_up(cast.elsewhere, cast.sam)
        assert "alert.test" not in text(olive.get(f"{HOME}settings/"))

    def test_removes_the_address_with_its_secret(self, olive, cast):
        alerts.hooked(cast.organization, cast.olive)
        olive.post(f"{HOME}settings/webhook/remove/")
        assert not Hook.objects.exists()
        assert AuditEntry.objects.filter(verb="alerts.hook_removed").exists()
