"""A step without a language model: which of the caller's sentences answer its questions.

Nothing here reasons. A sentence answers a question if it has one of the English or German words
by which such answers are given; a question that no sentence answers is reported as not given.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from reasonloom.nodes.memory.retrieval.scoring import QUESTION_MARKS
from reasonloom.nodes.thinking.analyze.frameworks.framework import Step, StepQuestion, any_of
from reasonloom.nodes.thinking.offline import LOWER_CONFIDENCE, evaluate_sums, shorten_text
from reasonloom.nodes.thinking.state import Brief
from reasonloom.text.sentences import sentences_in

QUESTION_CUES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "figure": any_of(
            r"\d",
            r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|twenty|thirty"
            r"|forty|fifty|hundreds?|thousands?|half|twice|percent|measured|counted|observed|zwei"
            r"|drei|vier|fünf|zehn|hälfte|prozent|gemessen)\b",
        ),
        "belief": any_of(
            r"think(?:s|ing)?\b", r"thought\b", r"believe", r"says?\b", r"said\b", r"claim",
            r"suspect", r"swears?\b", r"convinced\b", r"argue", r"suppose", r"told\b",
            r"according to", r"theory\b", r"hypothes", r"seems?\b", r"credits?\b", r"blames?\b",
            r"glaub", r"meint\b", r"sagt\b", r"behaupte", r"vermute",
        ),
        "rival": any_of(
            r"or\b", r"also\b", r"instead\b", r"other\b", r"another\b", r"perhaps\b", r"maybe\b",
            r"might\b", r"could\b", r"just\b", r"oder\b", r"auch\b", r"vielleicht\b", r"ander",
        ),
        "comparison": any_of(
            r"than\b", r"compar", r"versus\b", r"vs\b", r"usual", r"normal", r"average\b",
            r"same\b", r"differ", r"before and after", r"both\b", r"others?\b", r"als\b",
            r"vergl", r"\u00fcblich",
        ),
        "source": any_of(
            r"data\b", r"records?\b", r"logs?\b", r"stud(?:y|ies)\b", r"papers?\b", r"reports?\b",
            r"figures?\b", r"survey", r"trial", r"register\b", r"metric", r"monitor", r"chart",
            r"diary", r"evidence\b", r"dashboard", r"daten\b", r"studie", r"bericht",
            r"protokoll", r"messung",
        ),
        "means": any_of(
            r"can\b", r"could\b", r"have\b", r"has\b", r"with\b", r"budget", r"money\b",
            r"team\b", r"tools?\b", r"there(?:'s| is| are)\b", r"own\b", r"i've\b", r"we've\b",
            r"use\b", r"k\u00f6nnen\b", r"haben\b", r"mit\b",
        ),
        "time": any_of(
            r"since\b", r"when\b", r"while\b", r"after\b", r"before\b", r"until\b", r"every\b",
            r"always\b", r"(?:in|by|until) \d{4}\b", r"days?\b", r"weeks?\b", r"months?\b",
            r"years?\b", r"hours?\b", r"minutes?\b",
            r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", r"tonight\b", r"today\b",
            r"tomorrow\b", r"yesterday\b",
            r"january\b|february\b|march\b|april\b|june\b|july\b|august\b|september\b|october\b"
            r"|november\b|december\b",
            r"deadline", r"intermittent", r"seit\b", r"wenn\b", r"nach\b", r"vor\b", r"tage?n?\b",
            r"wochen?\b", r"monate?n?\b", r"jahre?n?\b", r"stunden?\b",
        ),
        "people": any_of(
            r"people\b", r"users?\b", r"customers?\b", r"clients?\b", r"patients?\b", r"team\b",
            r"staff\b", r"we\b", r"they\b", r"he\b", r"she\b", r"who\b", r"parents?\b",
            r"children\b", r"kids\b", r"students?\b", r"teachers?\b", r"nurses?\b", r"drivers?\b",
            r"managers?\b", r"council\b", r"boss\b", r"owners?\b", r"everyone\b", r"nobody\b",
            r"wir\b", r"leute\b", r"kunden\b", r"nutzer", r"menschen\b",
        ),
        "feeling": any_of(
            r"need", r"want", r"hate", r"love\b", r"like\b", r"afraid", r"fear", r"worr",
            r"tired", r"angry", r"confus", r"lost\b", r"ignore", r"complain", r"struggl",
            r"can't\b", r"cannot\b", r"won't\b", r"hard\b", r"difficult", r"brauch",
            r"m\u00f6cht", r"angst", r"schwer", r"beschwer",
        ),
        "goal": any_of(
            r"want", r"would like", r"i'd\b", r"we'd\b", r"should\b",
            r"to (?:make|get|keep|find|know|build|reduce|decide|choose|buy|be)\b", r"need",
            r"goal", r"aim\b", r"how (?:do|can|to|should)\b", r"help\b", r"decide", r"must\b",
            r"soll", r"wollen\b", r"m\u00f6cht", r"ziel", r"damit\b",
        ),
        "option": any_of(
            r"or\b", r"either\b", r"options?\b", r"alternativ", r"could\b", r"choose",
            r"whether\b", r"instead\b", r"oder\b", r"entweder\b", r"ob\b",
        ),
        "limit": any_of(
            r"must\b", r"only\b", r"no\b", r"not\b", r"without\b", r"cannot\b", r"can't\b",
            r"never\b", r"at most\b", r"at least\b", r"limit", r"rule", r"law\b", r"has to\b",
            r"have to\b", r"muss\b", r"nur\b", r"kein", r"nicht\b", r"ohne\b",
        ),
        "change": any_of(
            r"new\b", r"chang", r"since\b", r"after\b", r"release", r"updat", r"upgrad",
            r"replac", r"moved\b", r"started\b", r"introduc", r"install", r"rais", r"lower",
            r"grow", r"grew\b", r"f[ae]ll", r"fewer\b", r"more\b", r"less\b", r"rise", r"rose\b",
            r"neu", r"ge\u00e4ndert", r"seit\b", r"mehr\b", r"weniger\b",
        ),
        "effect": any_of(
            r"so\b", r"therefore\b", r"then\b", r"which\b", r"leads? to\b", r"makes?\b",
            r"means\b", r"results?\b", r"causes?\b", r"the more\b", r"and now\b", r"ends? up\b",
            r"drives?\b", r"deshalb\b", r"dadurch\b", r"f\u00fchrt\b", r"sodass\b", r"also\b",
        ),
        "cause": any_of(
            r"because\b", r"since\b", r"due to\b", r"caus", r"reason", r"blame",
            r"as a result of\b", r"thanks to\b", r"therefore\b", r"follows?\b", r"so\b",
            r"weil\b", r"wegen\b", r"grund\b", r"denn\b",
        ),
        "again": any_of(
            r"again\b", r"back\b", r"each time\b", r"whenever\b", r"every time\b", r"keeps?\b",
            r"more and more\b", r"the more\b", r"loop", r"return", r"repeat", r"wieder\b",
            r"jedes mal\b", r"immer\b",
        ),
        "assumed": any_of(
            r"always\b", r"usual", r"everyone\b", r"everybody\b", r"all\b", r"of course\b",
            r"obvious", r"naturally\b", r"standard\b", r"tradition", r"custom", r"rule",
            r"normal", r"they say\b", r"told\b", r"assum", r"never\b", r"immer\b", r"alle\b",
            r"\u00fcblich", r"nat\u00fcrlich\b",
        ),
        "against": any_of(
            r"but\b", r"however\b", r"although\b", r"though\b", r"yet\b", r"despite\b",
            r"still\b", r"except\b", r"not\b", r"no\b", r"never\b", r"tried\b", r"failed\b",
            r"\w+n't\b", r"aber\b", r"trotz", r"obwohl\b", r"nicht\b", r"kein",
        ),
        "failure": any_of(
            r"fail", r"crash", r"br[eo]ke?", r"error", r"wrong\b", r"slow", r"los[te]", r"leak",
            r"stop", r"drop", r"late\b", r"down\b", r"miss", r"complain", r"died?\b", r"burst",
            r"outage", r"bugs?\b", r"problem", r"worse\b", r"f\u00e4llt\b", r"st\u00fcrzt\b",
            r"fehler", r"kaputt", r"langsam", r"ausf\u00e4ll",
        ),
        "part": any_of(
            r"and\b", r"parts?\b", r"consist", r"made of\b", r"each\b", r"contain", r"includ",
            r"und\b", r"teile?\b", r"besteht\b",
        ),
        "future": any_of(
            r"may\b", r"might\b", r"could\b", r"will\b", r"if\b", r"or\b", r"perhaps\b",
            r"maybe\b", r"should the\b", r"depend", r"next\b", r"in 20\d\d\b", r"future\b",
            r"k\u00f6nnte", r"wird\b", r"wenn\b", r"falls\b", r"vielleicht\b", r"zukunft",
        ),
    }
)  # fmt: skip

MOST_ANSWERS = 2
MOST_READ_CHARS = 10_000
NOT_GIVEN = "Not given."
CONCLUDED = "On “{problem}”, by {names}, what is given: {given}"
OPEN = "Not given, and to be found out: {open}"
NOBODY = "Nothing given answers any of its questions."
MOST_GIVEN, MOST_OPEN = 3, 4
GIVEN_AS: Mapping[str, str] = {"goal": "goals", "limit": "constraints"}
"""Cues that a field of the context answers."""

PROBLEM_ALSO_ANSWERS = frozenset({"failure", "goal", "option", "future"})
"""Cues that sentences ending in a question mark can answer too."""


def run_step_offline(
    brief: Brief, memories: Sequence[Mapping[str, Any]], step: Step, quoted: Collection[str]
) -> dict[str, Any]:
    """Return the answers found to a step's questions, and the questions left open.

    Sentences that are not in `quoted` come before those that are.
    """
    sentences = _sentences(brief, memories)
    found = [(each, _answers(brief, sentences, each, quoted)) for each in step.questions]
    lines = [
        f"{each.text} {' '.join(f'“{one}”' for one in answers) or NOT_GIVEN}"
        for each, answers in found
    ]
    own = {shorten_text(each) for each in sentences_in(brief["problem"])}
    answered = [each for each, answers in found if answers]
    return {
        "output": " ".join(lines),
        "insights": [
            f"{each.text} {one}" for each, answers in found for one in answers if one not in own
        ][:MOST_ANSWERS],
        "given": list(dict.fromkeys(one for _, answers in found for one in answers)),
        "open": [each.text for each, answers in found if not answers],
        "confidence": round(LOWER_CONFIDENCE * len(answered) / len(found), 4),
    }


def _sentences(brief: Brief, memories: Sequence[Mapping[str, Any]]) -> list[str]:
    texts = [brief["background"][:MOST_READ_CHARS], *(str(each["content"]) for each in memories)]
    texts.append(brief["problem"][:MOST_READ_CHARS])
    return list(dict.fromkeys(one for text in texts for one in sentences_in(text)))


def _answers(
    brief: Brief, sentences: Sequence[str], question: StepQuestion, quoted: Collection[str]
) -> list[str]:
    """Return the sentences that answer a question, those with most cues first."""
    given: list[str] = []
    if question.cue in GIVEN_AS:
        given = brief[GIVEN_AS[question.cue]]  # type: ignore[literal-required]
    cue = QUESTION_CUES[question.cue]
    hits = {
        one: len({hit[0].casefold() for hit in cue.finditer(one)})
        for one in sentences
        if question.cue in PROBLEM_ALSO_ANSWERS or not one.endswith(QUESTION_MARKS)
    }
    best = sorted(
        (one for one in hits if hits[one]),
        key=lambda one: (shorten_text(one) in quoted, -hits[one]),
    )
    return [shorten_text(each) for each in dict.fromkeys([*given, *best])][:MOST_ANSWERS]


def conclude_offline(names: str, done: Sequence[Mapping[str, Any]], problem: str) -> str:
    """Return what the steps found and did not find, without any inference."""
    given = list(dict.fromkeys(one for each in done for one in each["given"]))[:MOST_GIVEN]
    lacking = list(dict.fromkeys(one for each in done for one in each["open"]))[:MOST_OPEN]
    lines = [f"{each}." for each in evaluate_sums(problem)]
    quotes = " ".join(f"“{each}”" for each in given)
    lines.append(
        CONCLUDED.format(problem=shorten_text(problem), names=names, given=quotes or NOBODY)
    )
    if lacking:
        lines.append(OPEN.format(open=" ".join(lacking)))
    return " ".join(lines)
