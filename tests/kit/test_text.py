import pytest

from organizer.kit.text import clean, fold


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("Łucja  Wójcik", "lucja wojcik"),
        ("Nguyễn Thị Hạnh", "nguyen thi hanh"),
        ("Øystein", "oystein"),
        ("STRASSE", "straße"),
        ("Дмитро Ковальчук", "дмитро ковальчук"),
    ],
)
def test_folds_what_people_type_differently(written, typed):
    assert fold(written) == fold(typed)


def test_replaces_what_no_database_stores():
    assert clean("a\x00b\ud800c") == "a\ufffdb\ufffdc"
