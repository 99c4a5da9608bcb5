"""The table of heavy tests names what is there."""

from tests.support.kinds import unknown_places


def test_every_place_of_the_table_is_there() -> None:
    assert unknown_places() == []
