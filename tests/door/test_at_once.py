"""Many desks, one ticket, the same moment: one of them admits. The index decides, on both databases."""

import threading
import uuid

import pytest
from django.db import connections

from organizer.attendees.models import Admission, Scan, StatusCount
from organizer.sync.models import Command
from tests.door.acts import admit
from tests.support import mirror

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
DESKS, ROUNDS, PARTS = 50, 40, 4


def at_once(number, *rounds):
    """What each of `rounds` answered to `number` threads, let go together; each has its own connection."""
    answers, start = [[None] * number for _ in rounds], threading.Barrier(number)

    def run(place):
        for round_, act in enumerate(rounds):
            start.wait(60)
            try:
                answers[round_][place] = act(place)
            finally:
                connections.close_all()  # as after a request

    threads = [threading.Thread(target=run, args=(place,)) for place in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(180)
    return answers


@pytest.mark.parametrize("_part", range(PARTS))
def test_of_fifty_desks_one_admits_each_time(event, cast, _part):
    guests = [mirror.guest(event, barcode=f"ROUND-{number}") for number in range(ROUNDS // PARTS)]
    codes = [guest.barcode for guest in guests]
    rounds = [lambda desk, code=code: admit(event, cast.dora, code, door=f"Door {desk}") for code in codes]
    for scans in at_once(DESKS, *rounds):
        assert sorted(scan.verdict for scan in scans) == ["admitted"] + (DESKS - 1) * ["already_in"]
    assert Admission.objects.count() == Command.objects.count() == len(guests)
    assert Scan.objects.count() == DESKS * len(guests)
    inside = StatusCount.objects.filter(event=event, status="checked_in").values_list("count", flat=True)
    assert sum(inside) == len(guests)


def test_the_same_scan_sent_by_many_is_one(event, guest, cast):
    scan_id = uuid.uuid4()
    [scans] = at_once(12, lambda _desk: admit(event, cast.dora, "FOY-ANA", scan_id=scan_id))
    assert {scan.verdict for scan in scans} == {"admitted"}
    assert Scan.objects.count() == Admission.objects.count() == Command.objects.count() == 1


def test_the_index_decides_where_the_row_says_nothing(event, guest, cast):
    """Another hand has let the guest in without the row being told."""
    Admission.objects.create(
        organization=event.organization, event=event, attendee=guest, door="North door", by_name="Sam"
    )
    scan = admit(event, cast.dora, "FOY-ANA")
    assert (scan.verdict, scan.said["door"], scan.said["by"]) == ("already_in", "North door", "Sam")
    assert not Command.objects.exists()
