"""Errors come back from another process as they were raised."""

from __future__ import annotations

import inspect
import pickle

import pytest

from reasonloom import errors
from reasonloom.errors import ReasonloomError
from reasonloom.server.http.heavy_calls.messages import RaisedError

KINDS = [
    each
    for _, each in inspect.getmembers(errors, inspect.isclass)
    if issubclass(each, ReasonloomError)
]


def made(kind: type[ReasonloomError]) -> ReasonloomError:
    """Return an error of a kind, each argument that it needs a text."""
    needed = [
        each for each in inspect.signature(kind).parameters.values() if each.default is each.empty
    ]
    named = {each.name: f"the {each.name}" for each in needed if each.kind is each.KEYWORD_ONLY}
    return kind(*("x" for each in needed if each.kind is not each.KEYWORD_ONLY), **named)


@pytest.mark.parametrize("kind", KINDS, ids=[each.__name__ for each in KINDS])
def test_an_error_of_any_kind_comes_back_whole(kind: type[ReasonloomError]) -> None:
    error = made(kind)
    parts = pickle.dumps(RaisedError.of(error))
    again = pickle.loads(parts).error()  # noqa: S301 - made a line above
    assert type(again) is kind
    assert vars(again) == vars(error)
    assert str(again) == str(error)
