"""The mailbox page: what was sent to an organization's guests."""

import pytest
from django.test import Client
from django.utils.html import escape

from servers.console import mails
from servers.jobs import actions as jobs
from servers.jobs.models import Job
from servers.mail import actions
from servers.mail.models import OutgoingMail
from servers.organizations.models import Organization
from servers.tests import factories
from servers.tests.conftest import Api
from servers.tests.members import browser_of

pytestmark = pytest.mark.django_db
MAILBOX = "/o/olive/mail/"


@pytest.fixture
def browser(organization: Organization) -> Client:
    return browser_of(organization)


def write(organization: Organization, number: int = 1, text: str = "Hello") -> OutgoingMail:
    return actions.queue(organization=organization, to="guest@mail.example", subject=f"Mail {number}", text=text)


def shown(browser: Client, query: str = "") -> list[str]:
    return [mail.subject for mail in browser.get(MAILBOX + query).context["page"].mails]


def test_it_shows_the_mail_of_a_guest_who_was_approved_by_the_api(browser, api: Api, ticket_class):
    guest = factories.attendee(ticket_class, "pending_approval")
    body = {"status": "valid", "notify_guest": True, "custom_message": "Bring a <b>coat</b>"}
    assert api.patch(f"/events/{guest.event_id}/attendees/{guest.pk}", body).status_code == 200
    mail = OutgoingMail.objects.get()
    assert shown(browser) == [mail.subject]
    page = browser.get(f"{MAILBOX}{mail.pk}/").content.decode()
    assert "Bring a &lt;b&gt;coat&lt;/b&gt;" in page
    assert "Queued" in page
    assert jobs.work_once()
    assert "Sent" in browser.get(f"{MAILBOX}{mail.pk}/").content.decode()


def test_it_shows_text_as_text(browser, organization):
    text = "<img src=x onerror=alert(1)>\n<a href='https://evil.test'>you & me</a>\n\tשלום"
    mail = write(organization, text=text)
    page = browser.get(f"{MAILBOX}{mail.pk}/").content.decode()
    assert f'<pre class="letter">{escape(text)}</pre>' in page
    assert "<img src=x" not in page


def test_it_tells_what_is_sent_queued_and_failed(browser, organization):
    sent, queued, failed = (write(organization, number) for number in range(3))
    OutgoingMail.objects.filter(pk=sent.pk).update(sent_at=sent.created_at)
    Job.objects.filter(pk=failed.job_id).update(state=Job.State.FAILED, last_error="550 <no> mailbox")
    for state, mail in (("sent", sent), ("queued", queued), ("failed", failed)):
        assert shown(browser, f"?state={state}") == [mail.subject]
    counts = {found.state: found.count for found in mails.filters(organization)}
    assert counts == {"": 3, "sent": 1, "queued": 1, "failed": 1}
    assert "550 &lt;no&gt; mailbox" in browser.get(f"{MAILBOX}{failed.pk}/").content.decode()


def test_it_pages_from_the_newest_to_the_oldest(browser, organization):
    for number in range(mails.PAGE + 5):
        write(organization, number)
    first = browser.get(MAILBOX).context["page"]
    assert [len(first.mails), first.mails[0].subject] == [mails.PAGE, f"Mail {mails.PAGE + 4}"]
    write(organization, 1000)  # what comes in meanwhile moves nothing
    assert shown(browser, f"?before={first.older}") == [f"Mail {number}" for number in (4, 3, 2, 1, 0)]


@pytest.mark.parametrize("query", ["?before=x", "?before=-1", "?before=" + "9" * 40, "?before=²", "?state=nope", "?"])
def test_it_takes_no_offence_at_odd_addresses(browser, organization, query):
    write(organization)
    assert shown(browser, query) == ["Mail 1"]


def test_it_hides_another_organizations_mail(browser, stranger):
    browser_of(stranger)
    theirs = write(stranger, 7)
    assert shown(browser) == []
    for address in ("/o/sam/mail/", f"/o/sam/mail/{theirs.pk}/", f"/o/olive/mail/{theirs.pk}/", "/o/olive/mail/0/"):
        assert browser.get(address).status_code == 404, address


def test_it_says_when_there_is_no_mail(browser):
    assert "No mail" in browser.get(MAILBOX).content.decode()


def test_it_is_not_kept_by_caches(browser, organization):
    mail = write(organization)
    for address in (MAILBOX, f"{MAILBOX}{mail.pk}/"):
        assert "no-store" in browser.get(address)["Cache-Control"]
