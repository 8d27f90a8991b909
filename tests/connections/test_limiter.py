"""Several processes on one key, against our own event server over HTTP."""

import json
import os
import subprocess

import pytest
import redis
from django.db import connection as database

from organizer.accounts.models import Organization
from organizer.connections import actions, clients, limiter, queries
from organizer.connections.models import Allowance
from organizer.upstream import pacing
from organizer.upstream.errors import NotYet
from organizer.upstream.limits import Lane
from tests.support import processes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def connect(event_server):
    def connect_(limit):
        organization = Organization.objects.create(slug=f"limited-{limit.replace('/', '-')}", name="Limited")
        key = event_server.make_key(organization.slug, ["events:read"], limit)
        url = f"{event_server.url}/api/v1"
        return actions.add(organization=organization, service="events", url=url, key=key, by=None)

    return connect_


def send_from(connection, count, *, seconds, threads=2, lane="sweep", **environment):
    arguments = [str(database.settings_dict["NAME"]), str(connection.pk), lane, str(seconds), str(threads)]
    senders = [
        subprocess.Popen(
            processes.python("-m", "tests.connections.sender", *arguments),
            cwd=processes.ROOT, env=processes.environment(**_database(), **environment),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(count)
    ]  # fmt: skip
    for sender in senders:
        assert sender.stdout.readline() == "ready\n"
    answers = [sender.communicate("go\n", timeout=seconds + 30)[0] for sender in _all_at_once(senders)]
    return [json.loads(answer) for answer in answers]


def _all_at_once(senders):
    for sender in senders:
        sender.stdin.write("go\n")
        sender.stdin.flush()
    return senders


def _database():
    return {"DATABASE_URL": os.environ["DATABASE_URL"]} if "DATABASE_URL" in os.environ else {}


def test_shares_a_key_among_processes(connect):
    connection = connect("20/2")
    seen = send_from(connection, 3, seconds=5)
    assert {outcome for counts in seen for outcome in counts} == {"ok"}
    assert sum(counts.get("ok", 0) for counts in seen) >= 40
    assert all(counts.get("ok") for counts in seen)


def test_shares_a_key_by_redis(connect, redis_url):
    connection = connect("20/2")
    seen = send_from(connection, 3, seconds=5, REDIS_URL=redis_url)
    assert {outcome for counts in seen for outcome in counts} == {"ok"}
    assert sum(counts.get("ok", 0) for counts in seen) >= 40
    assert not Allowance.objects.exists()


def test_says_no_at_once(connect):
    connection = connect("3/60")
    with clients.event_api(connection) as api:
        for _ in range(3):
            api.events.page(1)
        with pytest.raises(NotYet) as no:
            api.events.page(1)
    assert 0 < no.value.wait <= 61


def test_shows_what_is_used(connect):
    connection = connect("30/60")
    with clients.event_api(connection) as api:
        api.events.page(1)
        api.events.page(1)
    budget = queries.budget(connection)
    assert (budget.used, budget.limit) == (2, 30)
    assert 0 < budget.resets_in <= 61


def test_keeps_counting_after_an_odd_state(connect):
    connection = connect("30/60")
    Allowance.objects.create(name=connection.key_fingerprint, state={"of": "another version"})
    with clients.event_api(connection) as api:
        api.events.page(1)
    assert queries.budget(connection).used == 1


def test_gives_up_counting_where_its_store_is_away():
    class Away:
        def change(self, name, step):
            raise limiter.CouldNotCount

        def read(self, name):
            return pacing.State()

    away = limiter.SharedLimiter("name", store=Away())
    with pytest.raises(NotYet):
        away.take(Lane.PERSON)
    away.settle("grant", 200, {})


def test_shows_a_page_without_redis(connect):
    nobody = limiter.RedisStore(redis.Redis(port=processes.free_port()))
    assert nobody.read("name") == pacing.State()
    with pytest.raises(NotYet):
        limiter.SharedLimiter("name", store=nobody).take(Lane.PERSON)
