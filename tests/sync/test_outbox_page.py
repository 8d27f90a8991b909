"""Settings → Outbox: what waits, is held, was refused or parked, why, and what a person does about it."""

import json

import pytest

from organizer.accounts.models import AuditEntry
from organizer.attendees.models import Attendee
from organizer.connections.models import Connection, Health
from organizer.sync.models import Command, State
from tests.support import mirror

BOX = "/o/harbour/settings/outbox/"
REFUSED = {
    "state": "refused",
    "status": 422,
    "reason": "This ticket was cancelled.",
    "answer": {"error": "ticket_cancelled", "message": "This ticket was cancelled.", "details": []},
}


@pytest.fixture
def connection(cast):
    return mirror.connection(cast.organization)


@pytest.fixture
def guest(connection):
    return mirror.guest(mirror.event(connection), status="pending_approval", first_name="Nguyễn", last_name="Hạnh")


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


def said(client, query="", path=BOX):
    answer = client.get(path + query)
    assert answer.status_code == 200
    return answer.content.decode()


def counts(client):
    box = client.get(BOX).context["box"]
    return {tab.name: tab.count for tab in box.tabs if tab.count}


def act(client, command, verb, **data):
    return client.post(f"{BOX}{command.seq}/{verb}/", data, follow=True)


def in_place(client, command, verb):
    response = client.post(f"{BOX}{command.seq}/{verb}/", headers={"hx-request": "true"})
    assert response.status_code == 204
    return json.loads(response["HX-Trigger"])


def state_of(command):
    return Command.objects.values_list("state", flat=True).get(pk=command.pk)


def audited(verb):
    return [(entry.by_name, entry.after["command"]) for entry in AuditEntry.objects.filter(verb=f"command.{verb}")]


# --- what is shown ---


@pytest.mark.parametrize(
    ("tab", "fields"),
    [
        ("waiting", {"state": "waiting"}),
        ("waiting", {"state": "sending"}),
        ("refused", {"state": "refused", "reason": "No."}),
        ("parked", {"state": "parked"}),
        ("done", {"state": "done"}),
        ("aside", {"state": "cancelled"}),
    ],
)
def test_shows_each_command_under_one_tab(olive, guest, tab, fields):
    mirror.command(guest, **fields)
    assert counts(olive) == {tab: 1}
    assert "Approving <bdi>Nguyễn Hạnh</bdi>" in said(olive, f"?tab={tab}")


def test_shows_who_asked_how_often_it_was_tried_and_where_the_guest_is(olive, guest):
    mirror.command(guest, attempts=7, by_name="Max", reason="It answered with an error of its own (502).")
    page = said(olive, "?tab=waiting")
    assert "<bdi>Max</bdi>" in page
    assert ">7<" in page
    assert "error of its own (502)" in page
    assert f'href="/o/harbour/guests/{guest.pk}/"' in page


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"health": Health.KEY_REFUSED}, "The key was refused."),
        ({"health": Health.CHECKING}, "The key is being tried."),
        ({"sees_other_events": True}, "The new key sees other events"),
        ({"known_events": ["e1"], "known_by": "an older key"}, "The new key could not be tried yet."),
        ({"live": False}, "Its connection was removed."),
        ({"scopes": {"attendees:write": "denied"}}, "The key lacks the scope attendees:write."),
    ],
)
def test_says_why_a_command_is_held(olive, guest, changed, why):
    command = mirror.command(guest)
    assert counts(olive) == {"waiting": 1}
    Connection.objects.update(**changed)
    assert counts(olive) == {"held": 1}
    assert why in said(olive)
    assert why in said(olive, f"{command.seq}/")


def test_holds_nothing_for_a_scope_that_the_command_does_not_need(olive, guest):
    mirror.command(guest)
    Connection.objects.update(scopes={"events:write": "denied"})
    assert counts(olive) == {"waiting": 1}


def test_waits_but_holds_nothing_while_the_provider_is_silent(olive, guest):
    mirror.command(guest, attempts=1)
    Connection.objects.update(health=Health.UNREACHABLE)
    assert counts(olive) == {"waiting": 1}


def test_opens_where_somebody_is_needed(olive, guest):
    mirror.command(guest, state="done")
    mirror.command(guest, **REFUSED)
    assert olive.get(BOX).context["box"].tab == "refused"


def test_says_that_an_earlier_change_goes_first(olive, guest):
    mirror.command(guest)
    mirror.command(guest, "attendees.check_in", params={})
    assert said(olive).count("An earlier change goes first.") == 1


def test_pages_by_key_newest_first(olive, guest, connection):
    Command.objects.bulk_create(
        Command(
            organization=guest.organization, connection=connection, kind="attendees.approve", noun="attendees",
            target_id=guest.pk, target_name=f"Nr {number:03}", scope="attendees:write", state=State.DONE,
        )
        for number in range(120)
    )  # fmt: skip
    seen, cursor = [], ""
    for _ in range(3):
        box = olive.get(BOX, {"tab": "done", "after": cursor}).context["box"]
        seen += [row.command.target_name for row in box.rows]
        cursor = box.page.next_cursor
    assert seen == [f"Nr {number:03}" for number in reversed(range(120))]
    assert cursor == ""


def test_does_not_ask_more_for_a_longer_list(olive, guest, django_assert_max_num_queries):
    for _ in range(40):
        mirror.command(guest, **REFUSED)
    with django_assert_max_num_queries(16):
        said(olive, "?tab=refused")


def test_shows_nothing_of_another_organization(olive, cast, guest):
    elsewhere = mirror.guest(mirror.event(mirror.connection(cast.elsewhere)))
    theirs = mirror.command(elsewhere, **REFUSED)
    assert counts(olive) == {}
    assert olive.get(f"{BOX}{theirs.seq}/").status_code == 404
    assert olive.post(f"{BOX}{theirs.seq}/send-again/").status_code == 404
    assert state_of(theirs) == State.REFUSED


def test_renews_its_list_only(olive, guest):
    mirror.command(guest)
    answer = olive.get(BOX, headers={"hx-request": "true", "hx-target": "outbox-list"}).content.decode()
    assert answer.strip().startswith('<div id="outbox-list"')
    assert "<html" not in answer


def test_shows_request_and_answer_whole_and_escaped(olive, guest):
    command = mirror.command(
        guest, method="PATCH", path="/events/e/attendees/g", body='{"custom_message": "<b>Ahoi</b>"}',
        **REFUSED | {"answer": {"error": "x", "message": "<i>No</i>", "details": [{"path": "status"}]}},
    )  # fmt: skip
    page = said(olive, f"{command.seq}/")
    assert "PATCH /events/e/attendees/g" in page
    assert "&lt;b&gt;Ahoi&lt;/b&gt;" in page
    assert str(command.key) in page
    assert "&lt;i&gt;No&lt;/i&gt;" in page
    assert "&quot;path&quot;: &quot;status&quot;" in page


# --- what a person does ---


@pytest.mark.parametrize("state", ["refused", "parked"])
def test_sends_again_as_a_new_command(olive, guest, state):
    command = mirror.command(guest, state=state)
    page = act(olive, command, "send-again")
    again = Command.objects.latest("seq")
    assert page.redirect_chain == [(f"{BOX}{again.seq}/", 302)]
    assert (again.state, again.kind, again.params) == (State.WAITING, command.kind, command.params)
    assert again.key != command.key
    assert state_of(command) == State.CANCELLED
    assert Attendee.objects.get().status == "valid"
    assert audited("sent_again") == [("olive@harbour.test", command.seq)]


@pytest.mark.parametrize("state", ["waiting", "sending", "done", "cancelled"])
def test_sends_nothing_again_that_has_not_failed(olive, guest, state):
    command = mirror.command(guest, state=state)
    assert "This was settled meanwhile." in act(olive, command, "send-again").content.decode()
    assert Command.objects.count() == 1
    assert audited("sent_again") == []


def test_sends_once_whoever_clicks_twice(olive, guest):
    command = mirror.command(guest, **REFUSED)
    act(olive, command, "send-again")
    act(olive, command, "send-again")
    assert Command.objects.filter(state=State.WAITING).count() == 1


def test_takes_a_persons_word_that_it_was_done(olive, guest):
    command = mirror.command(guest, state="parked")
    assert Attendee.objects.get().needs_attention
    act(olive, command, "it-was-done")
    assert state_of(command) == State.DONE
    assert not Attendee.objects.get().needs_attention
    assert audited("said_done") == [("olive@harbour.test", command.seq)]


def test_takes_nobodys_word_for_what_was_refused(olive, guest):
    command = mirror.command(guest, **REFUSED)
    act(olive, command, "it-was-done")
    assert state_of(command) == State.REFUSED
    assert audited("said_done") == []


def test_sets_aside_what_was_seen(olive, guest):
    command = mirror.command(guest, **REFUSED)
    assert Attendee.objects.get().outbox["state"] == "refused"
    act(olive, command, "seen")
    assert counts(olive) == {"aside": 1}
    assert Attendee.objects.get().outbox == {}
    assert audited("seen") == [("olive@harbour.test", command.seq)]


def test_takes_back_a_decision_that_is_held(olive, guest):
    command = mirror.command(guest)
    Connection.objects.update(health=Health.KEY_REFUSED)
    assert "Take back" in said(olive)
    act(olive, command, "take-back")
    assert state_of(command) == State.CANCELLED
    assert Attendee.objects.get().status == "pending_approval"
    assert audited("taken_back") == [("olive@harbour.test", command.seq)]


def test_never_takes_back_a_check_in(olive, guest):
    command = mirror.command(guest, "attendees.check_in", params={})
    assert "Take back" not in said(olive)
    act(olive, command, "take-back")
    assert state_of(command) == State.WAITING


def test_does_it_in_place_for_htmx(olive, guest):
    command = mirror.command(guest, **REFUSED)
    assert in_place(olive, command, "seen")["outbox-changed"] is True
    assert in_place(olive, command, "take-back")["toast"]["level"] == "error"


# --- edit and send again ---


def edit(client, command):
    return client.get(f"{BOX}{command.seq}/edit/")


def test_fills_the_form_in_as_it_was_sent(olive, guest):
    command = mirror.command(guest, **REFUSED)
    form = edit(olive, command).context["form"]
    assert {name: form[name].value() for name in form.fields} == {
        "notify_guest": True,
        "custom_message": "See you there",
    }


def test_shows_what_the_api_said_of_a_field_beside_it(olive, guest):
    details = [{"path": "custom_message", "message": "Too long"}, {"path": "nowhere", "message": "Odd"}, "junk", None]
    command = mirror.command(guest, **REFUSED | {"answer": {"error": "x", "message": "y", "details": details}})
    form = edit(olive, command).context["form"]
    assert form.errors == {"custom_message": ["Too long"], "__all__": ["Odd"]}


def test_sends_what_was_changed(olive, guest):
    command = mirror.command(guest, **REFUSED)
    act(olive, command, "edit", custom_message="Welcome, at last")
    again = Command.objects.latest("seq")
    assert again.params == {"notify_guest": False, "custom_message": "Welcome, at last"}
    assert again.mails is False
    assert again.pk != command.pk


def test_asks_again_for_what_cannot_be_sent(olive, guest):
    command = mirror.command(guest, **REFUSED)
    response = olive.post(f"{BOX}{command.seq}/edit/", {"custom_message": "x" * 10_001})
    assert response.status_code == 422
    assert state_of(command) == State.REFUSED


def test_offers_no_form_where_nothing_was_chosen(olive, guest):
    command = mirror.command(guest, "attendees.check_in", params={}, **REFUSED)
    assert "Edit and send again" not in said(olive)
    assert edit(olive, command).status_code == 302
