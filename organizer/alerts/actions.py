"""What people do about alerts, and what they set. Each change is audited in its own transaction."""

import base64
import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import Membership, Organization, User
from organizer.alerts import notices, rules, transitions
from organizer.alerts.models import Alert, Hook, MailChoice, Sending, SendingState, State, Watch
from organizer.alerts.rules import Limits
from organizer.connections import vault
from organizer.connections.rules import is_private_by_sight

LONGEST_ADDRESS = 1000


class CouldNotChange(Exception):
    """It is not in a state in which this can be done: somebody else was quicker, or it is over."""


class CouldNotSave(Exception):
    """The message says what to change."""


def acknowledge(*, alert: Alert, by: User, note: str = "") -> None:
    """Somebody sees to it."""
    _become(alert, State.ACKNOWLEDGED, by=by, note=note)


def acknowledge_many(*, alerts: Iterable[Alert], by: User, note: str = "") -> int:
    """How many; those that are acknowledged already, or over, stay as they are."""
    done = 0
    for alert in alerts:
        if rules.may_become(alert.state, State.ACKNOWLEDGED, closed=alert.closed):
            now = timezone.now()
            done += transitions.move(alert, State.ACKNOWLEDGED, now=now, by=by, note=note)
    return done


def ignore(*, alert: Alert, by: User, until: datetime | None, note: str = "") -> None:
    """It stays, and tells nobody: until then, or for good."""
    _become(alert, State.IGNORED, by=by, note=note, until=until)


def resolve(*, alert: Alert, by: User, note: str = "") -> None:
    """By a person. While what it says is still so it does not come again as another."""
    _become(alert, State.RESOLVED, by=by, note=note, closed=not alert.holds)


def reopen(*, alert: Alert, by: User) -> None:
    """Takes back what a person did. What is over by now is resolved."""
    to = State.OPEN if alert.holds else State.RESOLVED
    if not rules.may_become(alert.state, State.OPEN, closed=alert.closed):
        raise CouldNotChange
    if not transitions.move(alert, to, now=timezone.now(), by=by, closed=not alert.holds):
        raise CouldNotChange


def set_limits(*, organization: Organization, limits: Limits, by: User) -> None:
    """Holds from the next look on. What is not watched any more is over."""
    with transaction.atomic():
        watch, _made = Watch.objects.select_for_update().get_or_create(organization=organization)
        before, after = Limits.read(watch.limits).kept(), limits.kept()
        told = [name for name in after if after[name] != before[name]]
        watch.limits = after
        watch.save()
        if told:
            audit.record(
                "alerts.limits", target=watch, organization=organization, by=by,
                before={name: before[name] for name in told}, after={name: after[name] for name in told},
            )  # fmt: skip


def choose_mails(*, organization: Organization, wanting: Iterable[Any], by: User) -> None:
    """By ids of members: they are told by mail, and the others are not."""
    wanted = {str(one) for one in wanting}
    with transaction.atomic():
        told = {user.pk for user in notices.told_by_mail(organization)}
        for member in Membership.objects.filter(organization=organization).select_related("user").order_by("pk"):
            on = str(member.user_id) in wanted
            if on == (member.user_id in told):
                continue
            MailChoice.objects.update_or_create(organization=organization, user=member.user, defaults={"on": on})
            audit.record("alerts.mails", target=member, organization=organization, by=by, after={"mails": on})


def keep_hook(*, organization: Organization, url: str, by: User) -> str:
    """Where to, from now on. The secret where one was made: it is told this once. Raises `CouldNotSave`."""
    url = _address(url)
    with transaction.atomic():
        hook = Hook.objects.select_for_update().filter(organization=organization).first()
        before = _shown(hook) if hook else {}
        # the old address knows the old secret
        moved = hook is not None and urlsplit(hook.url).netloc != urlsplit(url).netloc
        hook = hook or Hook(organization=organization)
        hook.url, hook.active, hook.problem = url, True, ""
        secret = _take_secret(hook) if moved or not hook.last4 else ""
        hook.save()
        if _shown(hook) != before:
            audit.record(
                "alerts.hook", target=hook, organization=organization, by=by, before=before, after=_shown(hook)
            )
    return secret


def renew_secret(*, hook: Hook, by: User) -> str:
    """Counts from now on, for what waits to be sent as well."""
    with transaction.atomic():
        hook = Hook.objects.select_for_update().get(pk=hook.pk)
        secret = _take_secret(hook)
        hook.save()
        audit.record("alerts.hook_secret", target=hook, organization=hook.organization, by=by)
    return secret


def switch_hook(*, hook: Hook, on: bool, by: User) -> None:
    with transaction.atomic():
        if Hook.objects.filter(pk=hook.pk).exclude(active=on).update(active=on, problem=""):
            audit.record("alerts.hook", target=hook, organization=hook.organization, by=by, after={"active": on})


def remove_hook(*, hook: Hook, by: User) -> None:
    """With its secret. What waits to be sent is dropped."""
    with transaction.atomic():
        audit.record("alerts.hook_removed", target=hook, organization=hook.organization, by=by, before=_shown(hook))
        hook.delete()


def send_test(*, hook: Hook, by: User) -> Sending:
    with transaction.atomic():
        sending = notices.write_test(hook.organization, timezone.now())
        audit.record("alerts.test", target=hook, organization=hook.organization, by=by)
    return sending


def send_again(*, sending: Sending, by: User) -> bool:
    """What was given up, under the same id."""
    with transaction.atomic():
        failed = Sending.objects.filter(pk=sending.pk, state=SendingState.FAILED)
        changed = failed.update(state=SendingState.WAITING, tries=0, next_at=timezone.now(), problem="")
        if changed:
            audit.record("alerts.send_again", target=sending, organization=sending.organization, by=by)
    return bool(changed)


def _become(alert: Alert, to: str, *, by: User, **more: Any) -> None:
    if not rules.may_become(alert.state, to, closed=alert.closed):
        raise CouldNotChange
    if not transitions.move(alert, to, now=timezone.now(), by=by, **more):
        raise CouldNotChange


def _take_secret(hook: Hook) -> str:
    """As Standard Webhooks writes one."""
    secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    hook.last4, hook.ciphertext = secret[-4:], vault.sealed_of(hook, secret)
    return secret


def _address(text: str) -> str:
    text = text.strip()
    try:
        parts = urlsplit(text)
        host, _port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https") or any(ord(one) <= 32 or ord(one) == 127 for one in text):
        raise CouldNotSave(_("An address begins with https:// and names a host."))
    if parts.username or parts.password or parts.fragment:
        raise CouldNotSave(_("An address has no user, no password and no hash."))
    if len(text) > LONGEST_ADDRESS:
        raise CouldNotSave(_("This address is too long."))
    if not settings.FOYER_ALLOW_PRIVATE_ADDRESSES and is_private_by_sight(text):
        raise CouldNotSave(_("This installation only connects to public addresses that begin with https://."))
    return text


def _shown(hook: Hook) -> dict[str, Any]:
    """Without what follows a question mark: people put keys there."""
    return {"url": hook.url.partition("?")[0], "secret": f"…{hook.last4}", "active": hook.active}
