from __future__ import annotations

from email.utils import formatdate

import pytest

from reasonloom.llm.providers.faults import EXCERPT_LIMIT, excerpt, refused_or_busy, retry_after


@pytest.mark.parametrize(
    ("body", "secret"),
    [
        ('{"error": {"message": "bad key sk-proj-abcdefghijk"}}', "sk-proj-abcdefghijk"),
        ("denied for Bearer tok.en-value", "tok.en-value"),
        ("see https://user:pw@host.example/x?key=1", "pw@host"),
        ("open /srv/app/secrets/key.pem failed", "/srv/app"),
        ("open C:\\keys\\mine.pem failed", "mine.pem"),
        ("api_key=hunter2 is wrong", "hunter2"),
        ("id 0123456789abcdefABCDEF is locked", "0123456789abcdefABCDEF"),
        ("our own my-odd-secret here", "my-odd-secret"),
        ("oops\nTraceback (most recent call last): boom", "boom"),
        ("<html>a page</html>", "page"),
    ],
)
def test_excerpt_cuts_out_what_must_not_leave(body: str, secret: str) -> None:
    assert secret not in excerpt(body, ["my-odd-secret"])


def test_excerpt_keeps_the_providers_own_sentence() -> None:
    body = '{"error": {"message": "The model `gpt-9-mini` does not exist", "code": 7}}'
    assert excerpt(body) == "The model `gpt-9-mini` does not exist"


def test_excerpt_is_one_short_line() -> None:
    words = excerpt("many words\n\x1b[31m" * 100)
    assert len(words) == EXCERPT_LIMIT
    assert words.isprintable()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"Retry-After": formatdate(1_000_010, usegmt=True)}, 10.0),
        ({"Retry-After": formatdate(999_000, usegmt=True)}, 0.0),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=1_000_000) == seconds


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_busy_answers_can_be_retried_and_carry_no_words(status: int) -> None:
    fault = refused_or_busy(status, {}, "internal words")
    assert fault.retryable
    assert fault.reason == f"HTTP {status}"


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 422, 501])
def test_refusals_are_final(status: int) -> None:
    assert not refused_or_busy(status, {}, "").retryable
