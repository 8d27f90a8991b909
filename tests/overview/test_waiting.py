"""Who waits is decided on Overview: with the rows, answers and rights of Approvals, and nothing else moves."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.accounts.models import AuditEntry, Role
from organizer.attendees.models import Attendee
from organizer.overview.queries import WAITING
from organizer.sync.models import Command
from tests.support import mirror
from tests.support.cast import person

PAGE = "/o/harbour/"
PART = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "overview"}


@pytest.fixture
def waits(event):
    """So many guests who wait, who registered last first."""
    now = timezone.now()

    def make(*names):
        made = [
            mirror.guest(event, first_name=name, last_name="Waits", status="pending_approval",
                         created_at=(now - timedelta(minutes=number)).isoformat())
            for number, name in enumerate(names)
        ]  # fmt: skip
        return made if len(made) > 1 else made[0]

    return make


def names(client, *on_screen):
    rows = client.get(PAGE, {"row": [str(guest.pk) for guest in on_screen]}).context["overview"].waiting.rows
    return [row.guest.first_name for row in rows]


def decide(client, guest, kind="approve", **headers):
    address = f"/o/harbour/guests/{guest.pk}/decide/{kind}/?in=overview"
    said = {"seen": "pending_approval", "notify_guest": "1", "next": PAGE}
    return client.post(address, said, **({"HTTP_HX_REQUEST": "true"} | headers))


def sent(*guests):
    Command.objects.filter(target_id__in=[guest.pk for guest in guests]).update(state="done")
    for guest in guests:
        Attendee.objects.filter(pk=guest.pk).update(payload=guest.payload | {"status": "valid"})
        mirror.recompute(guest)


def test_offers_to_decide_about_each(olive, waits):
    ada, _bob = waits("Ada", "Bob")
    page = olive.get(PAGE).content.decode()
    row = page.partition(f'<li id="attendee-{ada.pk}"')[2].partition("</li>")[0]
    for kind in ("approve", "reject"):
        address = f"/o/harbour/guests/{ada.pk}/decide/{kind}/"
        assert f'form="bulk" formaction="{address}" name="seen" value="pending_approval"' in row
        assert f'hx-post="{address}?in=overview"' in row
    assert 'id="guest-dialog"' in page
    assert "Tell guests by mail" in page


def test_answers_a_decision_with_its_row_alone(olive, waits):
    ada, _bob = waits("Ada", "Bob")
    answer = decide(olive, ada)
    said = answer.content.decode()
    row = said.partition("</li>")[0]
    assert f'<li id="attendee-{ada.pk}"' in row
    assert "sends in" in row
    assert f"/guests/{ada.pk}/undo/?in=overview" in row
    assert 'hx-swap-oob="beforeend:#toasts"' in said
    assert "Bob" not in said
    assert "<tbody" not in said
    assert (answer.status_code, answer.cookies["foyer_notify"].value) == (200, "1")
    assert AuditEntry.objects.filter(verb="attendee.approve", by__email="olive@harbour.test").count() == 1


def test_takes_it_back(olive, waits):
    ada = waits("Ada")
    decide(olive, ada, "reject")
    seq = Command.objects.get().seq
    answer = olive.post(f"/o/harbour/guests/{ada.pk}/undo/?in=overview&oob=1", {"seq": seq}, HTTP_HX_REQUEST="true")
    row = answer.content.decode()
    assert f'<li id="attendee-{ada.pk}" data-row hx-swap-oob="true">' in row
    assert "decide/approve/" in row
    ada.refresh_from_db()
    assert ada.status == "pending_approval"


def test_says_that_somebody_was_faster(olive, cast, waits):
    ada = waits("Ada")
    Attendee.objects.filter(pk=ada.pk).update(status="rejected")
    answer = decide(olive, ada)
    assert answer.status_code == 409
    assert "was faster" in answer["HX-Trigger"]
    assert f'<li id="attendee-{ada.pk}"' in answer.content.decode()


def test_is_a_plain_form_without_scripts(client, olive, waits):
    ada = waits("Ada")
    answer = decide(olive, ada, HTTP_HX_REQUEST="")
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    page = olive.get(PAGE).content.decode()
    assert "Ada Waits approved." in page
    ada.refresh_from_db()
    assert ada.status == "valid"


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MANAGER])
def test_is_for_those_who_may_decide_on_approvals(client, cast, waits, role):
    ada = waits("Ada")
    client.force_login(person("Vic", cast.organization, role))
    page = client.get(PAGE).content.decode()
    may = role == Role.MANAGER
    assert "Ada Waits" in page
    assert ("decide/approve/" in page, 'id="bulk"' in page, 'id="guest-dialog"' in page) == (may, may, may)
    assert decide(client, ada).status_code == (200 if may else 403)


class TestAPageThatStaysOpen:
    def test_keeps_the_rows_it_shows_in_their_places(self, olive, waits):
        ada, bob, cleo = waits("Ada", "Bob", "Cleo")
        decide(olive, bob)
        assert names(olive) == ["Ada", "Cleo"]
        assert names(olive, ada, bob, cleo) == ["Ada", "Bob", "Cleo"]
        sent(bob)
        assert names(olive, ada, bob, cleo) == ["Ada", "Bob", "Cleo"]

    def test_shows_who_is_new_below_them(self, olive, waits):
        ada, bob = waits("Ada", "Bob")
        waits("Newest")
        assert names(olive)[0] == "Newest"
        assert names(olive, ada, bob) == ["Ada", "Bob", "Newest"]

    def test_goes_on_to_the_next_when_all_are_decided_and_sent(self, olive, waits):
        guests = waits(*(f"G{number}" for number in range(WAITING + 3)))
        shown = guests[:WAITING]
        for guest in shown:
            decide(olive, guest)
        assert names(olive, *shown) == [guest.first_name for guest in shown]
        sent(*shown)
        assert names(olive, *shown) == [guest.first_name for guest in guests[WAITING:]]

    def test_shows_the_last_one_until_it_is_sent(self, olive, waits):
        ada = waits("Ada")
        decide(olive, ada)
        assert olive.get(PAGE).context["overview"].waiting.count == 0
        assert names(olive, ada) == ["Ada"]
        sent(ada)
        assert names(olive, ada) == []

    def test_shows_nobody_elses_guests(self, olive, cast, waits):
        waits("Ada")
        theirs = mirror.guest(mirror.event(mirror.connection(cast.elsewhere)), status="pending_approval")
        assert names(olive, theirs) == ["Ada"]
        assert olive.get(PAGE, {"row": ["x", "", str(theirs.pk)]}).status_code == 200

    def test_names_its_rows_when_it_asks(self, olive, waits):
        ada = waits("Ada")
        part = olive.get(PAGE, **PART).content.decode()
        assert 'hx-include="#overview [name=row]"' in part
        assert re.search(rf'<input type="hidden" name="row" value="{ada.pk}">', part)

    def test_asks_one_query_more_however_many_rows(self, olive, waits, django_assert_max_num_queries):
        guests = waits(*(f"G{number}" for number in range(WAITING + 1)))
        olive.get(PAGE, **PART)
        with django_assert_max_num_queries(12):
            olive.get(PAGE, {"row": [str(guest.pk) for guest in guests[:WAITING]]}, **PART)
