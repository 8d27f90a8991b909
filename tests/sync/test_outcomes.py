"""What an answer means for the command that asked: the table of docs/outbox.md, row by row."""

from datetime import UTC, datetime, timedelta

import pytest

from organizer.sync.outcomes import Reading, Then, after_reading, must_read_first, outcome
from organizer.upstream import answers
from organizer.upstream.errors import AddressRefused, Broken, NotYet, Unreachable, UpstreamError

NOW = datetime(2026, 11, 21, 18, 0, tzinfo=UTC)


def answered(status, value=None, headers=None):
    error = answers.failure(status, value, headers=headers or {}, scope="attendees:write")
    return outcome(error, attempts=0, luck=0.5)


def test_is_done_where_nothing_was_raised():
    assert outcome(None, attempts=3, luck=0.5).then is Then.DONE


@pytest.mark.parametrize("status", [400, 403, 405, 409, 410, 413, 415, 422])
def test_is_refused_with_the_apis_reason(status):
    said = {"error": "some_word", "message": "This ticket was cancelled.", "details": [{"path": "status"}]}
    result = answered(status, said)
    assert (result.then, result.reason, result.status) == (Then.REFUSED, "This ticket was cancelled.", status)
    assert result.answer["error"] == "some_word"
    assert result.answer["details"] == ([{"path": "status"}] if status != 403 else [])


def test_is_refused_where_the_object_is_gone():
    result = answered(404, {"error": "Attendee not found"})
    assert (result.then, result.status) == (Then.REFUSED, 404)
    assert result.reason == "It is no longer found at the provider."


@pytest.mark.parametrize("status", [404, 408, 425, 500, 502, 503, 504, 301, 302, 307, 308])
def test_does_not_know_what_an_answer_without_the_apis_words_means(status):
    assert answered(status, None).then is Then.UNKNOWN


@pytest.mark.parametrize("error", [Unreachable("No answer."), Broken("Not JSON."), UpstreamError("Something new.")])
def test_does_not_know_what_silence_means(error):
    assert outcome(error, attempts=0, luck=0.5).then is Then.UNKNOWN


@pytest.mark.parametrize(
    ("status", "said"), [(401, {"error": "Invalid or revoked API key"}), (403, {"error": "insufficient_scope"})]
)
def test_is_no_attempt_while_the_key_may_not(status, said):
    result = answered(status, said)
    assert (result.then, result.wait) == (Then.LATER, 0.0)


def test_asks_again_in_a_second_while_the_first_request_is_being_done():
    result = answered(409, {"error": "idempotent_request_in_progress"})
    assert (result.then, result.wait) == (Then.LATER, 1.0)


@pytest.mark.parametrize(("header", "wait"), [("7", 7.0), ("0", 1.0), ("", 1.0), ("junk", 1.0)])
def test_waits_for_a_limit_as_long_as_it_says_and_at_least_a_second(header, wait):
    result = answered(429, {"error": "rate_limit_exceeded"}, {"RateLimit-Reset": header})
    assert (result.then, result.wait) == (Then.LATER, wait)


def test_waits_for_its_own_limiter():
    assert outcome(NotYet(3.5), attempts=0, luck=0.5).wait == 3.5


def test_sends_nothing_to_an_address_that_is_not_allowed():
    assert outcome(AddressRefused("http:// is not allowed"), attempts=0, luck=0.5).then is Then.LATER


def test_backs_off_with_each_attempt_to_a_minute():
    waits = [outcome(Unreachable("silence"), attempts=n, luck=0.5).wait for n in range(9)]
    assert waits == [2, 4, 8, 16, 32, 60, 60, 60, 60]


@pytest.mark.parametrize("luck", [0.0, 0.25, 0.999])
def test_spreads_what_failed_together(luck):
    assert 45 <= outcome(Unreachable("silence"), attempts=20, luck=luck).wait < 75


# --- a key that is old ---


def reads_first(*, attempts=1, age=timedelta(hours=1), sent_with="key", fingerprint="key"):
    return must_read_first(attempts=attempts, first_at=NOW - age, sent_with=sent_with, fingerprint=fingerprint, now=NOW)


def test_repeats_with_the_same_key_for_23_hours():
    assert not reads_first(age=timedelta(hours=23))
    assert reads_first(age=timedelta(hours=23, seconds=1))


def test_reads_where_another_api_key_asked_first():
    assert reads_first(sent_with="an older key")


def test_reads_nothing_where_nothing_can_have_been_done():
    assert not reads_first(attempts=0, age=timedelta(days=3), sent_with="an older key")
    assert not must_read_first(attempts=1, first_at=None, sent_with="", fingerprint="key", now=NOW)


@pytest.mark.parametrize(
    ("found", "reached", "method", "mails", "then"),
    [
        (True, True, "PATCH", True, Reading.DONE),
        (True, True, "POST", False, Reading.DONE),
        (True, False, "PATCH", False, Reading.ANEW),
        (True, False, "DELETE", False, Reading.ANEW),
        (True, False, "PATCH", True, Reading.PARKED),
        (True, False, "DELETE", True, Reading.PARKED),
        (True, False, "POST", False, Reading.PARKED),
        (False, False, "DELETE", False, Reading.DONE),
        (False, False, "PATCH", True, Reading.REFUSED),
        (False, False, "POST", False, Reading.REFUSED),
    ],
)
def test_judges_by_what_was_read(found, reached, method, mails, then):
    assert after_reading(found=found, reached=reached, method=method, mails=mails) is then
