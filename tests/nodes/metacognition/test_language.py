"""Which language a text is in, and that nothing is judged in one that cannot be read."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.text.language import UNKNOWN, language_of
from tests.support.calls import call

FOREIGN = {
    "de": "Wir haben schon so viel Geld ausgegeben, deshalb hören wir jetzt nicht auf. Wie schön!",
    "fr": "Nous avons déjà dépensé deux millions, nous devons donc continuer. Je suis si heureux!",
    "es": "Ya hemos gastado dos millones, por eso tenemos que seguir. ¡Estoy muy contento!",
    "ja": "もう二百万円も使ったのだから、続けるしかない。とても嬉しいです！",
    "ar": "لقد أنفقنا مليونين بالفعل، لذلك يجب أن نستمر. أنا سعيد جدا!",
    "ru": "Мы уже потратили два миллиона, поэтому надо продолжать. Я так счастлив!",
}
STRANGE = {
    "emoji": "😀😀😡 🎉🎉",
    "code": "def f(x):\n    return [y ** 2 for y in x if y]\n",
    "query": "SELECT id, name FROM t1 WHERE id = 3;",
    "letters": "asdf qwer zxcv",
    "repeated": "banana banana banana banana",
    "signs": "...",
    "figures": "17 * 23 = 391",
    "one letter": "a",
    "borrowed": "Das Meeting war super",
}


@pytest.mark.parametrize(("code", "text"), FOREIGN.items(), ids=FOREIGN)
def test_a_language_is_told_and_not_taken_for_english(code: str, text: str) -> None:
    assert (language_of(text).code, language_of(text).supported) == (code, False)


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_what_is_no_language_is_called_unknown(text: str) -> None:
    assert (language_of(text).code, language_of(text).supported) == (UNKNOWN, False)


@pytest.mark.parametrize(
    "text",
    [
        "I am not happy at all. This is not good.",
        "Oh great, another outage. Just wonderful.",
        "I won.",
        "We did it!!!",
        "User prefers feature A",
        "Sales rose 12% after the ad ran, so the ad works.",
        "It is fine, said Zoë; naïve, but fine.",
    ],
)
def test_short_english_is_english(text: str) -> None:
    assert (language_of(text).code, language_of(text).supported) == ("en", True)


async def all_checks(engine: Engine, text: str) -> dict[str, dict[str, Any]]:
    asked: list[tuple[str, dict[str, Any]]] = [
        ("assess_confidence", {"reasoning": text}),
        ("detect_bias", {"reasoning": text}),
        ("detect_emotion", {"text": text}),
        ("evaluate", {"reasoning": text, "includeEmotion": True}),
    ]
    outcomes = await asyncio.gather(*(call(engine, tool, given) for tool, given in asked))
    for outcome in outcomes:
        assert any("English only" in note for note in outcome.notes), "it says why"
    return {tool: o.answer for (tool, _), o in zip(asked, outcomes, strict=True)}


@pytest.mark.parametrize("text", [*FOREIGN.values(), *STRANGE.values()])
async def test_nothing_is_judged_in_what_cannot_be_read(engine: Engine, text: str) -> None:
    answers = await all_checks(engine, text)
    assert all(answer["supported"] is False for answer in answers.values())
    assert answers["detect_bias"]["biases"] == answers["evaluate"]["biases"] == []
    for feeling in (answers["detect_emotion"], answers["evaluate"]["emotion"]):
        assert feeling["discrete"] == {"primary": "none", "emotions": [], "confidence": 0.0}
        assert feeling["circumplex"] == dict.fromkeys(
            ("valence", "arousal", "dominance", "confidence"), 0.0
        )
    assert set(answers["evaluate"]["quality"].values()) == {0.5}, "cannot tell"
    assert answers["assess_confidence"]["overallConfidence"] <= 0.5
    assert "not judged" in answers["evaluate"]["weaknesses"][0]
