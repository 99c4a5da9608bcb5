"""Reading on: only what is new, the last turn again, a rewritten file from the beginning."""

from __future__ import annotations

import io
import json

import pytest

from reasonloom.transcripts import claude_code
from reasonloom.transcripts.lines import Position
from tests.support.history.transcripts import Script, generated, part_texts


def read(data: bytes, since: Position | None = None) -> tuple[list[tuple[int, bool]], Position]:
    reading = claude_code.read(io.BytesIO(data), since)
    turns = [(turn.number, turn.complete) for turn in reading]
    assert reading.position
    return turns, Position.of(json.loads(json.dumps(reading.position.wire())))


def test_the_same_file_again_gives_nothing() -> None:
    data = generated(5).data()
    turns, position = read(data)
    assert [number for number, _ in turns] == [1, 2, 3, 4, 5]
    assert position.offset == len(data)
    assert read(data, position) == ([], position)


def test_a_half_written_turn_comes_again_completed_under_its_number() -> None:
    script = Script().user("one").said("1").user("two")
    turns, position = read(script.data())
    assert turns == [(1, True), (2, False)]
    script.said("half")
    reading = claude_code.read(io.BytesIO(script.data()), position)
    (turn,) = list(reading)
    assert (turn.number, turn.complete) == (2, False)
    assert part_texts(turn) == [("user", "two"), ("assistant", "half")]
    script.user("three")
    assert reading.position
    turns, _ = read(script.data(), reading.position)
    assert turns == [(2, True), (3, False)]


def test_a_truncated_last_line_is_left_for_the_next_time() -> None:
    whole = Script().user("one").said("наполовину 🙂").data()
    for cut in range(len(whole) - 60, len(whole) - 1):
        turns, position = read(whole[:cut])
        assert turns == [(1, False)]
        assert position.offset < cut
        again = claude_code.read(io.BytesIO(whole), position)
        (turn,) = list(again)
        assert part_texts(turn)[-1] == ("assistant", "наполовину 🙂")
        assert again.skipped.malformed == 0


def test_a_last_line_without_line_feed_is_taken_once_if_it_is_whole() -> None:
    whole = Script().user("one").said("two").data()
    _, position = read(whole[:-1])
    assert position.offset == len(whole) - 1
    assert read(whole[:-1], position)[0] == []
    more = whole + Script().user("three").data()
    assert read(more, position)[0] == [(1, True), (2, False)]


@pytest.mark.parametrize("change", ["shorter", "other", "edited"])
def test_a_rewritten_file_is_noticed_and_read_from_the_beginning(change: str) -> None:
    data = generated(6, 1).data()
    _, position = read(data)
    other = {
        "shorter": data[: len(data) // 2],
        "other": generated(9, 2).data(),
        "edited": data[:-40].replace(b"Please", b"Kindly") + data[-40:] + b"\n",
    }[change]
    reading = claude_code.read(io.BytesIO(other), position)
    assert reading.rewritten
    assert next(reading).number == 1
    assert not claude_code.read(io.BytesIO(data), position).rewritten


class Growing(io.BytesIO):
    """A file that is appended to, or cut, while it is read."""

    def __init__(self, data: bytes, more: bytes, *, cut: int | None = None) -> None:
        super().__init__(data)
        self.more, self.cut, self.reads = more, cut, 0

    def readline(self, size: int | None = -1, /) -> bytes:
        self.reads += 1
        if self.reads == 8:
            here = self.tell()
            self.seek(0, io.SEEK_END)
            self.write(self.more)
            if self.cut is not None:
                self.truncate(self.cut)
            self.seek(here)
        return super().readline(size)


def test_a_file_that_grows_while_read_loses_nothing() -> None:
    data = generated(8).data()
    half = data[: len(data) // 2]
    reading = claude_code.read(Growing(half, data[len(half) :]))
    numbers = {turn.number for turn in reading}
    turns, _ = read(data, reading.position)
    assert numbers | {number for number, _ in turns} == set(range(1, 9))


def test_a_file_that_is_cut_while_read_ends_early_and_is_noticed_next_time() -> None:
    data = generated(8).data()
    reading = claude_code.read(Growing(data, b"", cut=len(data) // 2))
    assert list(reading)
    assert reading.position
    assert reading.position.offset <= len(data) // 2
    assert not claude_code.read(io.BytesIO(data), reading.position).rewritten
    assert claude_code.read(io.BytesIO(b"{}\n" + data), reading.position).rewritten
