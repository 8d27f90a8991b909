import os
from uuid import uuid4

import pytest

from organizer.connections import vault

RING = {"new": os.urandom(32), "old": os.urandom(32)}
PLACE = {"organization_id": uuid4(), "row_id": uuid4(), "purpose": "connections.key"}


def sealed(secret="evt_live_secret", **changed):
    return vault.seal(secret, **{"ring": RING} | PLACE | changed)


def opened(ciphertext, **changed):
    return vault.open_sealed(ciphertext, **{"ring": RING} | PLACE | changed)


@pytest.mark.parametrize("secret", ["evt_live_secret", "", "ключ 🗝", "x" * 100_000])
def test_opens_what_it_sealed(secret):
    assert opened(sealed(secret)) == secret


def test_hides_it_differently_each_time():
    first, second = sealed(), sealed()
    assert first != second
    assert b"secret" not in first


def test_seals_with_the_first_key_and_opens_with_all():
    assert vault.key_id(sealed()) == "new"
    assert opened(sealed(ring={"old": RING["old"]})) == "evt_live_secret"


@pytest.mark.parametrize("moved", [{"organization_id": uuid4()}, {"row_id": uuid4()}, {"purpose": "another"}])
def test_does_not_open_elsewhere(moved):
    with pytest.raises(vault.CouldNotOpen):
        opened(sealed(), **moved)


def test_does_not_open_what_was_changed():
    whole = sealed()
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1
        with pytest.raises(vault.CouldNotOpen):
            opened(bytes(changed))


@pytest.mark.parametrize("torn", [b"", b"\x01", b"\x01\x03new", b"\x01\x03new123", b"clear text"])
def test_does_not_open_what_is_torn(torn):
    with pytest.raises(vault.CouldNotOpen):
        opened(torn)


def test_does_not_open_without_its_key():
    with pytest.raises(vault.CouldNotOpen, match="ring"):
        opened(sealed(), ring={"other": os.urandom(32)})
