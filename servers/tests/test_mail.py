"""Mail leaves after the answer, by the worker, whatever happens to the worker."""

import os
import signal
from datetime import timedelta

import pytest
from django.test import override_settings

from servers.jobs import actions as jobs
from servers.jobs import rules
from servers.jobs.models import Job, Pulse
from servers.kit import clock
from servers.mail import actions
from servers.mail.models import OutgoingMail
from servers.tests import factories, live
from servers.tests.smtp_sink import SmtpSink
from tests.support import processes


def queued(organization, **fields):
    known = {"to": "ada@example.com", "subject": "Gala: you are in", "text": "Hello Ada,\n\nمرحبا\n"}
    return actions.queue(organization=organization, **known | fields)


def smtp(sink):
    host, port = sink.server_address
    options = {"host": host, "port": port, "timeout": 5}
    return {"default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": options}}


def later(seconds):
    moment = clock.now() + timedelta(seconds=seconds)
    return clock.handed_in(lambda: moment)


@pytest.mark.django_db
class TestWithoutAMailServer:
    def test_lands_in_the_mailbox(self, organization):
        mail = queued(organization)
        assert jobs.work_once()
        mail.refresh_from_db()
        assert mail.sent_at
        assert not jobs.work_once()

    @pytest.mark.parametrize("break_", ["\r\n", "\n", "\x0b", "\x85", "\u2028", "\x07"])
    def test_keeps_control_characters_out_of_the_subject(self, organization, break_):
        assert queued(organization, subject=f"Gala{break_}Bcc: x@y.z").subject == "Gala Bcc: x@y.z"


@pytest.mark.django_db
class TestRetries:
    @pytest.fixture
    def fails(self):
        jobs.handle("fails", lambda payload: 1 / 0)
        return jobs.put("fails", {})

    def test_tries_again_later_and_later(self, fails):
        for attempt in range(1, len(rules.BACK_OFF) + 2):
            fails.refresh_from_db()
            due = fails.due_at
            with clock.handed_in(lambda due=due: due - timedelta(seconds=1)):
                assert not jobs.work_once()
            with clock.handed_in(lambda due=due: due):
                assert jobs.work_once()
            fails.refresh_from_db()
            assert fails.attempts == attempt
        assert fails.state == Job.State.FAILED
        assert "ZeroDivisionError" in fails.last_error

    def test_gives_up_at_once_where_another_try_cannot_help(self, organization):
        mail = queued(organization, to="zoë@example.com")
        with SmtpSink() as sink, override_settings(MAILERS=smtp(sink)):
            assert jobs.work_once()
        job = Job.objects.get()
        assert (job.state, job.attempts, sink.begun) == (Job.State.FAILED, 1, 0)
        assert "zoë@example.com" in job.last_error
        mail.refresh_from_db()
        assert mail.sent_at is None

    @pytest.mark.parametrize(
        ("answer", "state"),
        [("550 no such mailbox", Job.State.FAILED), ("451 come back later", Job.State.WAITING)],
    )
    def test_takes_only_a_5xx_for_the_last_word(self, organization, answer, state):
        queued(organization)
        with SmtpSink(refuses=answer) as sink, override_settings(MAILERS=smtp(sink)):
            assert jobs.work_once()
        job = Job.objects.get()
        assert (job.state, job.attempts) == (state, 1)
        assert answer[4:] in job.last_error

    def test_waits_for_a_mail_server_that_is_down(self, organization):
        queued(organization)
        with SmtpSink() as sink:
            gone = smtp(sink)
        with override_settings(MAILERS=gone):
            assert jobs.work_once()
        assert Job.objects.get().state == Job.State.WAITING

    def test_takes_a_job_whose_worker_died(self, organization, settings):
        queued(organization)
        assert jobs.claim()
        assert jobs.claim() is None
        with later(settings.JOB_LEASE + 1):
            assert jobs.claim().attempts == 2

    def test_leaves_a_job_alone_that_another_worker_took(self, organization, settings):
        queued(organization)
        mine = jobs.claim()
        with later(settings.JOB_LEASE + 1):
            theirs = jobs.claim()
        jobs._finish(mine, state=Job.State.DONE)
        theirs.refresh_from_db()
        assert theirs.state == Job.State.WAITING


@pytest.mark.django_db(transaction=True)
class TestWithAMailServer:
    def test_sends_what_an_answer_promised(self, api, event, ticket_class):
        guest = factories.attendee(ticket_class, "pending_approval", first_name="Zoë")
        body = {"status": "valid", "notify_guest": True, "custom_message": "See you — שלום"}
        assert api.patch(f"/events/{event.pk}/attendees/{guest.pk}", body).status_code == 200
        with SmtpSink() as sink:
            worker = live.worker(EMAIL_URL=sink.url)
            try:
                processes.wait_until(lambda: OutgoingMail.objects.exclude(sent_at=None).exists())
                processes.wait_until(Pulse.objects.exists)
            finally:
                processes.stop(worker)
        [mail] = sink.mails
        assert (mail["To"], mail["Subject"]) == ("guest@example.com", "Gala: you are in")
        assert "Zoë" in mail.get_content()
        assert "See you — שלום" in mail.get_content()
        assert Job.objects.get().state == Job.State.DONE

    def test_loses_nothing_when_killed_in_the_middle_of_sending(self, organization):
        known = {queued(organization, to=f"guest{n}@example.com").message_id for n in range(3)}
        with SmtpSink(silent=True) as sink:
            worker = live.worker(EMAIL_URL=sink.url, SERVERS_JOB_LEASE=1)
            processes.wait_until(lambda: sink.begun)
            os.kill(worker.pid, signal.SIGKILL)
            worker.wait(5)
            assert not OutgoingMail.objects.exclude(sent_at=None).exists()
            sink.silent = False
            worker = live.worker(EMAIL_URL=sink.url, SERVERS_JOB_LEASE=1)
            try:
                processes.wait_until(lambda: OutgoingMail.objects.exclude(sent_at=None).count() == 3)
            finally:
                processes.stop(worker)
        assert {mail["Message-ID"] for mail in sink.mails} == known
        assert len(sink.mails) == 3
