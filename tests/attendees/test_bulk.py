"""Many guests at once: ticked ones, or everybody whom the filter finds at the moment of the POST."""

import json
import re

import pytest

from organizer.accounts.models import AuditEntry, Role
from organizer.attendees.models import Attendee
from organizer.sync import batches, registry
from organizer.sync import mirror as engine_mirror
from organizer.sync.models import Batch, Command, State
from tests.support import mirror
from tests.support.cast import person

APPROVE = "/o/harbour/guests/decide/approve/"
HTMX = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "work"}


@pytest.fixture
def waiting(event):
    return [mirror.guest(event, status="pending_approval") for _ in range(3)]


def statuses(*guests):
    found = dict(Attendee.objects.values_list("pk", "status"))
    return [found[guest.pk] for guest in guests]


class TestWho:
    def test_is_those_who_were_ticked(self, olive, waiting):
        answer = olive.post(APPROVE, {"id": [waiting[0].pk, waiting[2].pk], "in": "event"})
        batch = Batch.objects.get()
        assert answer["Location"] == f"/o/harbour/batches/{batch.pk}/"
        assert statuses(*waiting) == ["valid", "pending_approval", "valid"]
        assert AuditEntry.objects.filter(verb="attendee.approve").count() == 2

    def test_crosses_events(self, olive, event, waiting):
        other = mirror.guest(mirror.event(event.connection), status="pending_approval")
        olive.post(APPROVE, {"id": [waiting[0].pk, other.pk]})
        assert statuses(waiting[0], other) == ["valid", "valid"]

    def test_is_everybody_whom_the_filter_finds_now(self, olive, event, waiting):
        late = mirror.guest(event, status="pending_approval")
        valid = mirror.guest(event)
        elsewhere = mirror.guest(mirror.event(event.connection), status="pending_approval")
        said = {"everybody": "1", "filters": "?status=pending_approval", "event": event.pk, "id": [valid.pk]}
        olive.post("/o/harbour/guests/decide/reject/", said)
        assert statuses(*waiting, late) == ["rejected"] * 4
        assert statuses(valid, elsewhere) == ["valid", "pending_approval"]

    def test_is_everybody_whom_the_search_finds(self, olive, event, waiting):
        luca = mirror.guest(event, first_name="Luca", status="pending_approval")
        olive.post(APPROVE, {"everybody": "1", "filters": "?q=luca"})
        assert statuses(luca, *waiting) == ["valid", *["pending_approval"] * 3]

    def test_is_everybody_who_waits(self, olive, event, waiting):
        other = mirror.guest(mirror.event(event.connection), status="pending_approval")
        olive.post(APPROVE, {"everybody": "1", "in": "approvals", "event": event.pk})
        assert statuses(*waiting, other) == [*["valid"] * 3, "pending_approval"]

    def test_is_never_another_organizations_guest(self, olive, cast, waiting):
        theirs = mirror.guest(mirror.event(mirror.connection(cast.elsewhere)), status="pending_approval")
        olive.post(APPROVE, {"id": [theirs.pk, waiting[0].pk]})
        assert Batch.objects.get().total == 1
        assert statuses(theirs, waiting[0]) == ["pending_approval", "valid"]

    @pytest.mark.parametrize("said", [{}, {"id": ["x", ""]}, {"everybody": "1", "filters": "?q=nobody"}])
    def test_is_somebody(self, olive, waiting, said):
        assert olive.post(APPROVE, said).status_code == 302
        assert not Batch.objects.exists()

    def test_is_not_for_those_who_only_look(self, client, cast, waiting):
        client.force_login(person("Vic", cast.organization, Role.VIEWER))
        assert client.post(APPROVE, {"id": waiting[0].pk}).status_code == 403
        assert not Batch.objects.exists()


class TestTheMessage:
    def test_goes_to_each(self, olive, waiting):
        said = {"id": [guest.pk for guest in waiting], "notify_guest": "1", "custom_message": "See you!"}
        olive.post(APPROVE, said)
        assert {command.params["custom_message"] for command in Command.objects.all()} == {"See you!"}

    def test_is_refused_where_it_is_too_long(self, olive, waiting):
        olive.post(APPROVE, {"id": [waiting[0].pk], "notify_guest": "1", "custom_message": "x" * 10_001})
        assert not Batch.objects.exists()


class TestInPlace:
    def test_answers_with_what_is_under_way(self, olive, waiting):
        answer = olive.post(APPROVE, {"id": [waiting[0].pk]}, **HTMX)
        assert "Approving 1" in " ".join(answer.content.decode().split())
        assert "attendees-changed" in answer["HX-Trigger"]

    def test_is_found_again_on_every_list(self, olive, event, waiting):
        olive.post(APPROVE, {"id": [waiting[0].pk]})
        for address in ("approvals/", "guests/", f"events/{event.pk}/guests/"):
            assert f"/batches/{Batch.objects.get().pk}/" in olive.get(f"/o/harbour/{address}").content.decode()

    def test_has_the_list_read_again_when_it_is_over(self, olive, waiting):
        olive.post(APPROVE, {"id": [waiting[0].pk]})
        assert "HX-Trigger" not in olive.get("/o/harbour/guests/work/", **HTMX)
        Batch.objects.update(finished_at="2026-01-01T00:00:00Z")
        answer = olive.get("/o/harbour/guests/work/", **HTMX)
        assert answer["HX-Trigger"] == "attendees-changed"
        assert "every 2s" not in answer.content.decode()

    def test_stays_where_it_came_to_nothing_until_it_was_seen(self, olive, event, waiting):
        gone = mirror.guest(event, status="deleted")
        olive.post(APPROVE, {"id": [waiting[0].pk, gone.pk]})
        batch = Batch.objects.get()
        Command.objects.filter(state=State.WAITING).update(state=State.DONE)
        Batch.objects.update(finished_at=batch.created_at)
        page = olive.get("/o/harbour/approvals/").content.decode()
        assert f"/batches/{batch.pk}/" in page
        assert 'class="work-strip" hx-get' not in page
        olive.post(f"/o/harbour/batches/{batch.pk}/seen/", {"next": "/o/harbour/approvals/"})
        assert f"/batches/{batch.pk}/" not in olive.get("/o/harbour/approvals/").content.decode()

    def test_says_what_was_wrong(self, olive, waiting):
        assert json.loads(olive.post(APPROVE, **HTMX)["HX-Trigger"])["toast"]["level"] == "error"


class TestTheBatch:
    @pytest.fixture
    def batch(self, olive, event, waiting):
        gone = mirror.guest(event, status="deleted", first_name="Dee", last_name="Gone")
        olive.post(APPROVE, {"id": [guest.pk for guest in [*waiting, gone]]})
        return Batch.objects.get()

    def page(self, olive, batch):
        return " ".join(olive.get(f"/o/harbour/batches/{batch.pk}/").content.decode().split())

    def test_says_of_whom_it_came_to_nothing_and_why(self, olive, batch):
        page = self.page(olive, batch)
        assert "Dee Gone" in page
        assert "only who waits can be approved" in page
        assert "Retry" not in page  # the API was not asked

    def test_names_each_guest_and_what_came_of_it(self, olive, batch, waiting):
        Command.objects.filter(target_id=waiting[0].pk).update(state=State.DONE)
        Command.objects.filter(target_id=waiting[1].pk).update(state=State.CANCELLED)
        page = self.page(olive, batch)
        each = page[page.index('id="each-head"') :]
        for guest in waiting:
            assert f'href="/o/harbour/guests/{guest.pk}/"' in each
        assert [each.count(f"</svg>{word}</span>") for word in ("Approved", "Taken back", "Waiting")] == [1, 1, 1]
        assert "Dee Gone" not in each
        assert f'href="/o/harbour/events/{waiting[0].event_id}/guests/"' in page

    def test_names_a_page_of_many(self, olive, event):
        guests = [mirror.guest(event, status="pending_approval", first_name=f"{n:02}") for n in range(60)]
        olive.post(APPROVE, {"id": [one.pk for one in guests]})
        first = self.page(olive, Batch.objects.get())
        assert first.count('id="command-') == 50
        cursor = re.search(r'href="\?after=([^"]+)" rel="next"', first)[1]
        rest = olive.get(f"/o/harbour/batches/{Batch.objects.get().pk}/?after={cursor}").content.decode()
        assert rest.count('id="command-') == 10

    def test_says_that_it_was_done_when_it_was(self, olive, batch):
        assert "<h1>Approving 4 guests</h1>" in self.page(olive, batch)
        Command.objects.filter(state=State.WAITING).update(state=State.DONE)
        assert "<h1>Approved 3 of 4 guests</h1>" in self.page(olive, batch)

    def test_is_undone_until_it_is_due(self, olive, batch, waiting):
        assert ">Undo</button>" in self.page(olive, batch)
        olive.post(f"/o/harbour/batches/{batch.pk}/cancel/")
        assert statuses(*waiting) == ["pending_approval"] * 3
        assert "taken back" in self.page(olive, batch)
        assert AuditEntry.objects.filter(verb="attendees.cancel").exists()

    def test_is_offered_back_wherever_the_page_stands(self, olive, waiting):
        said = {"id": [guest.pk for guest in waiting], "notify_guest": "1"}
        answer = olive.post(APPROVE, said, **HTMX).content.decode()
        assert "3 guests approved. They are told by mail." in answer
        address = re.search(r'hx-post="([^"]+/cancel/\?oob=1)"', answer)[1]
        taken_back = olive.post(address, HTTP_HX_REQUEST="true").content.decode()
        assert 'id="work" class="work-strip" hx-swap-oob="true"' in taken_back
        assert statuses(*waiting) == ["pending_approval"] * 3

    def test_is_undone_in_place(self, olive, batch, waiting):
        answer = olive.post(f"/o/harbour/batches/{batch.pk}/cancel/", **HTMX)
        assert {"attendees-changed", "toast"} <= json.loads(answer["HX-Trigger"]).keys()
        assert statuses(*waiting) == ["pending_approval"] * 3

    def test_is_cancelled_afterwards_and_keeps_what_was_done(self, olive, batch, waiting):
        Batch.objects.update(due_at=batch.created_at)
        Command.objects.filter(target_id=waiting[0].pk).update(state=State.DONE)
        Attendee.objects.filter(pk=waiting[0].pk).update(payload={"status": "valid"})
        assert ">Cancel</button>" in self.page(olive, batch)
        olive.post(f"/o/harbour/batches/{batch.pk}/cancel/")
        assert statuses(*waiting) == ["valid", "pending_approval", "pending_approval"]

    def test_retries_what_the_api_refused(self, olive, batch, waiting):
        Command.objects.filter(target_id=waiting[0].pk).update(state=State.REFUSED, status=422, reason="Not now.")
        engine_mirror.refresh(registry.noun("attendees"), [waiting[0]])
        assert "Retry" in self.page(olive, batch)
        olive.post(f"/o/harbour/batches/{batch.pk}/retry/")
        again = Command.objects.get(target_id=waiting[0].pk, state=State.WAITING)
        assert again.batch_id == batch.pk

    def test_asks_for_itself_until_it_is_over(self, olive, batch):
        assert 'id="batch-state" hx-get' in self.page(olive, batch)
        Command.objects.filter(state=State.WAITING).update(state=State.DONE)
        assert 'id="batch-state" hx-get' not in self.page(olive, batch)


def test_leaves_10_000_guests_to_the_worker(olive, event, django_assert_max_num_queries):
    one = mirror.guest(event, status="pending_approval")
    fields = {field.attname: getattr(one, field.attname) for field in Attendee._meta.concrete_fields}
    del fields["id"]
    Attendee.objects.bulk_create(
        (Attendee(**fields | {"remote_id": f"many-{number}"}) for number in range(9_999)), batch_size=500
    )
    with django_assert_max_num_queries(20):
        olive.post(APPROVE, {"everybody": "1", "filters": "?status=pending_approval", "event": event.pk})
    batch = Batch.objects.get()
    assert (batch.total, batch.expanded, Command.objects.count()) == (10_000, 0, 0)
    assert batches.expand(batch.pk)  # what the worker does, slice by slice
    assert Command.objects.count() == batches.SLICE
