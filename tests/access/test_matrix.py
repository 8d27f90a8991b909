"""Every view of an organization times every role. A view that is not in the table is a failing test."""

import pytest
from django.test import Client

from organizer.accounts.models import Role
from organizer.sync.models import State
from tests.support import mirror, pages
from tests.support.cast import person

ADMINS = {Role.OWNER, Role.ADMIN}
MANAGERS = ADMINS | {Role.MANAGER}
DOOR = MANAGERS | {Role.DOOR}
READERS = MANAGERS | {Role.VIEWER}
ALL = set(Role)

EXPECTED = {
    "overview:index": ("GET", ALL),
    "overview:health": ("GET", ADMINS),
    "overview:today": ("GET", READERS),
    "events:index": ("GET", READERS),
    "events:calendar": ("GET", READERS),
    "events:feed": ("GET", READERS),
    "events:new_feed": ("POST", READERS),
    "events:end_feed": ("POST", READERS),
    "events:detail": ("GET", READERS),
    "events:ticket_classes": ("GET", READERS),
    "events:new": ("GET", MANAGERS),
    "events:edit": ("GET", MANAGERS),
    "events:copy": ("GET", MANAGERS),
    "events:publish": ("POST", MANAGERS),
    "events:cancel": ("GET", MANAGERS),
    "events:delete": ("GET", MANAGERS),
    "events:state": ("GET", READERS),
    "events:settle": ("POST", MANAGERS),
    "events:new_class": ("GET", MANAGERS),
    "events:edit_class": ("GET", MANAGERS),
    "events:delete_class": ("GET", MANAGERS),
    "attendees:index": ("GET", READERS),
    "attendees:for_event": ("GET", READERS),
    "attendees:detail": ("GET", READERS),
    "door:index": ("GET", DOOR),
    "door:desk": ("GET", DOOR),
    "door:state": ("GET", DOOR),
    "door:scan": ("POST", DOOR),
    "door:undo": ("POST", DOOR),
    "door:approve": ("POST", MANAGERS),
    "door:send_again": ("POST", DOOR),
    "door:seen": ("POST", DOOR),
    "door:mails": ("POST", MANAGERS),
    "attendees:approvals": ("GET", READERS),
    "attendees:card": ("GET", READERS),
    "attendees:changes": ("GET", READERS),
    "attendees:row": ("GET", READERS),
    "attendees:work": ("GET", READERS),
    "attendees:batch": ("GET", READERS),
    "attendees:choose": ("GET", MANAGERS),
    "attendees:add": ("GET", MANAGERS),
    "attendees:correct": ("GET", MANAGERS),
    "attendees:message": ("GET", MANAGERS),
    "attendees:preview": ("POST", MANAGERS),
    "attendees:templates": ("GET", MANAGERS),
    "attendees:new_template": ("GET", MANAGERS),
    "attendees:template": ("GET", MANAGERS),
    "attendees:remove_template": ("POST", MANAGERS),
    "imports:new": ("GET", MANAGERS),
    "imports:columns": ("GET", MANAGERS),
    "imports:letters": ("POST", MANAGERS),
    "imports:detail": ("GET", MANAGERS),
    "imports:start": ("POST", MANAGERS),
    "imports:set_aside": ("POST", MANAGERS),
    "imports:refused": ("GET", MANAGERS),
    "attendees:decide": ("POST", MANAGERS),
    "attendees:resend": ("POST", MANAGERS),
    "attendees:undo": ("POST", MANAGERS),
    "attendees:seen": ("POST", MANAGERS),
    "attendees:send_again": ("POST", MANAGERS),
    "attendees:it_was_done": ("POST", MANAGERS),
    "attendees:decide_about_many": ("POST", MANAGERS),
    "attendees:cancel_batch": ("POST", MANAGERS),
    "attendees:seen_batch": ("POST", MANAGERS),
    "attendees:retry_batch": ("POST", MANAGERS),
    "attendees:export": ("GET", READERS),
    "attendees:export_for_event": ("GET", READERS),
    "attendees:export_approvals": ("GET", READERS),
    "attendees:paper": ("GET", READERS),
    "lists:save": ("POST", READERS),
    "lists:edit": ("GET", MANAGERS),  # of a shared view; one's own is one's own
    "lists:delete": ("POST", MANAGERS),
    "lists:open_with": ("POST", READERS),
    "accounts:members": ("GET", MANAGERS),
    "accounts:audit": ("GET", ADMINS),
    "connections:index": ("GET", ADMINS),
    "connections:add": ("GET", ADMINS),
    "connections:replace": ("GET", ADMINS),
    "connections:remove": ("GET", ADMINS),
    "connections:try_again": ("POST", ADMINS),
    "connections:follow_key": ("POST", ADMINS),
    "connections:start_anew": ("POST", ADMINS),
    "orders:index": ("GET", ADMINS),
    "orders:new": ("GET", ADMINS),
    "orders:detail": ("GET", ADMINS),
    "orders:reconcile": ("POST", ADMINS),
    "orders:ticket": ("GET", ADMINS),
    "orders:reconciliations": ("GET", ADMINS),
    "orders:new_bulk": ("GET", ADMINS),
    "orders:bulk": ("GET", ADMINS),
    "orders:cancel_bulk": ("POST", ADMINS),
    "orders:shop_keys": ("GET", ADMINS),
    "orders:revoke_key": ("POST", ADMINS),
    "webhooks:index": ("GET", ADMINS),
    "webhooks:news": ("GET", ADMINS),
    "webhooks:export": ("GET", ADMINS),
    "webhooks:detail": ("GET", ADMINS),
    "webhooks:download": ("GET", ADMINS),
    "webhooks:erase": ("GET", ADMINS),
    "webhooks:read_again": ("POST", ADMINS),
    "webhooks:rejected": ("GET", ADMINS),
    "webhooks:vendors": ("GET", ADMINS),
    "webhooks:new_vendor": ("GET", ADMINS),
    "webhooks:vendor": ("GET", ADMINS),
    "webhooks:checklist": ("GET", ADMINS),
    "webhooks:test": ("GET", ADMINS),
    "webhooks:secrets": ("GET", ADMINS),
    "webhooks:note": ("POST", ADMINS),
    "webhooks:edit_vendor": ("GET", ADMINS),
    "webhooks:switch": ("POST", ADMINS),
    "webhooks:rotate": ("GET", ADMINS),
    "webhooks:end_old_secrets": ("POST", ADMINS),
    "alerts:index": ("GET", ADMINS),
    "alerts:acknowledge_many": ("POST", ADMINS),
    "alerts:detail": ("GET", ADMINS),
    "alerts:acknowledge": ("POST", ADMINS),
    "alerts:ignore": ("POST", ADMINS),
    "alerts:resolve": ("POST", ADMINS),
    "alerts:reopen": ("POST", ADMINS),
    "alerts:settings": ("GET", ADMINS),
    "alerts:mails": ("POST", ADMINS),
    "alerts:hook": ("POST", ADMINS),
    "alerts:renew_secret": ("POST", ADMINS),
    "alerts:switch_hook": ("POST", ADMINS),
    "alerts:remove_hook": ("POST", ADMINS),
    "alerts:test_hook": ("POST", ADMINS),
    "alerts:log": ("GET", ADMINS),
    "alerts:send_again": ("POST", ADMINS),
    "sync:refresh": ("POST", ALL),
    "sync:freshness": ("GET", ALL),
    "sync:outbox": ("GET", ADMINS),
    "sync:command": ("GET", ADMINS),
    "sync:edit": ("GET", ADMINS),
    "sync:send_again": ("POST", ADMINS),
    "sync:it_was_done": ("POST", ADMINS),
    "sync:seen": ("POST", ADMINS),
    "sync:take_back": ("POST", ADMINS),
}
ID = "01890000-0000-7000-8000-000000000000"
ASKED = {
    "sync:refresh": {"noun": "events"},
    "sync:freshness": {"noun": "events"},
    "alerts:ignore": {"until": "1d"},
    "alerts:hook": {"url": "http://127.0.0.1:9/alerts"},
    "lists:save": {"listing": "guests", "name": "Mine", "query": "?q=ada"},
    "door:scan": {"scan_id": ID, "code": "X1"},
    "door:approve": {"scan_id": ID, "code": "X1"},
    "door:undo": {"scan_id": ID, "admission_id": ID},
}
"""What a view must be told to have something to answer."""
OF_A_GUEST = {"door:send_again", "door:seen"}
LEADS_ON = {"door:index", "overview:index", "attendees:correct"}
"""They may send on: to the event of today, door people to their door, and from what there is nothing to correct of."""
ABOUT = {
    "attendees:undo": State.WAITING,
    "attendees:seen": State.REFUSED,
    "attendees:send_again": State.REFUSED,
    "attendees:it_was_done": State.PARKED,
}
"""Views about a command of the guest, and the state that it must be in."""
OF_AN_OBJECT = [name for name, route in pages.ROUTES.items() if set(route.arguments) - {"slug", "kind"}]


def ask(client, place, name, method):
    asked = {"attendee_id": place.guest.pk} if name in OF_A_GUEST else ASKED.get(name, {})
    if name == "events:settle":
        asked = {"seq": mirror.command_about(place.event, "events.edit", State.REFUSED).seq}
    if name in ABOUT:
        asked = {"seq": mirror.command(place.guest, state=ABOUT[name]).seq}
    return getattr(client, method.lower())(place.url(name), asked)


def test_knows_every_view():
    assert set(EXPECTED) == set(pages.ROUTES)


@pytest.mark.parametrize("name", EXPECTED)
def test_answers_whom_it_should(place, name):
    method, allowed = EXPECTED[name]
    for role in [*Role, None]:
        with pages.undone():
            client = Client()
            if role:
                client.force_login(person(f"some-{role}", place.cast.organization, role))
            response = ask(client, place, name, method)
            if role is None:
                assert response.status_code == 302
                assert response["Location"].startswith("/accounts/login/?next=")
            elif role in allowed:
                leads_on = method == "POST" or name in LEADS_ON
                assert response.status_code in ((200, 204, 302) if leads_on else (200,)), role
            else:
                assert response.status_code == 403, role


@pytest.mark.parametrize("name", EXPECTED)
def test_does_not_exist_for_a_stranger(client, place, name):
    client.force_login(place.cast.sam)
    for method in ("GET", "POST"):
        with pages.undone():
            assert ask(client, place, name, method).status_code == 404, method


@pytest.mark.parametrize("name", OF_AN_OBJECT)
def test_hides_objects_under_another_organizations_address(client, place, name):
    """Sam owns Elsewhere; Harbour's objects are not there either."""
    client.force_login(place.cast.sam)
    address = place.url(name).replace(f"/o/{place.slug}/", f"/o/{place.cast.elsewhere.slug}/")
    for method in ("GET", "POST"):
        response = getattr(client, method.lower())(address, ASKED.get(name, {}))
        assert response.status_code in (404, 405)
        assert response.status_code == 404 or method not in response["Allow"]


@pytest.mark.parametrize("name", [name for name, (method, _) in EXPECTED.items() if method == "POST"])
def test_changes_nothing_by_a_get(client, place, name):
    client.force_login(place.cast.olive)
    assert client.get(place.url(name)).status_code == 405
