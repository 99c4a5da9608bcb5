"""What the simulated reader makes of one prompt: its task, memories, answers and judgements."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from reasonloom.errors import InvalidArgument
from reasonloom.evals.simulated.draw import chance, trait
from reasonloom.evals.simulated.reason_tasks import Memory, Task

RIGHT = 0
"""Index of the right answer in a task's answers."""

SCORES = (0.9, 0.3)
"""Scores of an answer judged right, and of one judged wrong."""

NOISE = 0.1
FEEDBACK = re.compile(
    r"<(?:criticism|feedback|failed|checks?|failures?)>\s*\S.*?\n</", re.DOTALL | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Reader:
    """Parameters of the reader; all are probabilities except `spread` and `distract`.

    Attributes:
        solve: a sample is right with all needed memories, on average over tasks.
        spread: concentration of the tasks' own probabilities (0 to 1,000); low values are all or
            nothing.
        guess: an answer is right although a needed memory is missing.
        judge: an answer is judged correctly with all needed memories.
        mend: a wrong answer is repaired after feedback with all needed memories.
        curious: missing memories are looked up if the reply has a field for lookups.
        distract: share of the ability (0 to 1) lost for every ten unneeded memories.
    """

    solve: float = 0.75
    spread: float = 1.5
    guess: float = 0.03
    judge: float = 0.8
    mend: float = 0.6
    curious: float = 0.85
    distract: float = 0.05

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "Reader":
        """Return the default parameters with these settings applied.

        Raises:
            InvalidArgument: a parameter is unknown, or a value is out of range.
        """
        known = [each.name for each in fields(cls)]
        given: dict[str, float] = {}
        for name, value in settings.items():
            if name not in known:
                raise InvalidArgument(f"set: {name} is none of {', '.join(known)}", field="set")
            try:
                given[name] = float(value)
            except ValueError:
                given[name] = -1
            if not 0 <= given[name] <= (1 if name != "spread" else 1_000):
                raise InvalidArgument(f"{name}: must be a number from 0 to 1", field=name)
        return replace(cls(), **given)


def plain(text: str) -> str:
    """Normalise whitespace and case for searching."""
    return " ".join(text.split()).casefold()


@dataclass(frozen=True, slots=True)
class Known:
    """A task with its texts normalised for searching."""

    task: Task
    question: str
    answers: tuple[str, ...]
    memories: tuple[tuple[str, Memory], ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer: its index in the task's answers, its text, and the stated confidence."""

    index: int
    text: str
    confidence: float


class Reading:
    """One prompt as the reader sees it: its task, memories, and candidate answers."""

    def __init__(
        self,
        reader: Reader,
        known: Known,
        text: str,
        searched: str,
        seed: int,
        state: str,
        sample: int,
    ) -> None:
        self.reader, self.task, self.text, self._known = reader, known.task, text, known
        self._key = (seed, state, sample)
        seen = [memory for content, memory in known.memories if content in searched]
        self.facts = tuple(memory for memory in seen if memory.needed)
        self._needless = len(seen) - len(self.facts)
        self._candidates = [
            index for index, each in enumerate(known.answers) for _ in range(searched.count(each))
        ]
        keys = {memory.key for memory in self.facts}
        self._missing = tuple(memory for memory in self.task.needed if memory.key not in keys)

    def _chance(self, kind: str, sample: int = 0) -> float:
        seed, state, own = self._key
        return chance(seed, self.task.id, f"{kind}/{sample}", state, own)

    @property
    def _ability(self) -> float:
        """The task's own probability of a right answer, reduced by unneeded memories."""
        mean, spread = self.reader.solve, self.reader.spread
        low, high = mean * spread, (1 - mean) * spread
        own = trait(self.task.id, "ability").betavariate(low, high) if low and high else mean
        return own * max(0.0, 1 - self.reader.distract * self._needless / 10)

    def attempt(self, number: int) -> Attempt:
        """Return an answer; `number` counts the answers of one reply."""
        index = self._choose(number)
        cited = "; ".join(memory.content for memory in self.facts)
        text = f"By the notes: {cited}\n{self.task.answers[index]}" if cited else ""
        return Attempt(index, text or self.task.answers[index], self._confidence(index, number))

    def _choose(self, number: int) -> int:
        """Return the index of an answer, adopted from the prompt or the reader's own."""
        own = self._own(number)
        if not self._candidates:
            return own
        place = int(self._chance("adopt", number) * len(self._candidates))
        adopted = self._candidates[place]
        if len(set(self._candidates)) == 1 and FEEDBACK.search(self.text):
            return self._mended(adopted, number)
        if self._missing:
            return adopted
        preferred = [each for each in self._candidates if self.judged(each) > sum(SCORES) / 2]
        if not preferred:
            return own
        return preferred[int(self._chance("adopt", number) * len(preferred))]

    def _mended(self, given: int, number: int) -> int:
        if given == RIGHT:
            keeps = 0.5 if self._missing else self.reader.judge
            return RIGHT if self._chance("keep", number) < keeps else self._own(number)
        if self._missing:
            return given
        return RIGHT if self._chance("mend", number) < self.reader.mend else given

    def _own(self, number: int) -> int:
        right = self.reader.guess if self._missing else self._ability
        if self._chance("answer", number) < right or not self.task.wrong:
            return RIGHT
        missing = {memory.key for memory in self._missing}
        wrong = list(enumerate(self.task.wrong, 1))
        fitting = [index for index, each in wrong if each.missing in missing]
        slips = [index for index, each in wrong if not each.missing]
        choices = fitting or slips or [index for index, _ in wrong]
        # All samples prefer the same mistake.
        usual = trait(self.task.id, "mistake", str(sorted(missing))).choice(choices)
        others = [*choices, *[usual] * len(choices)]
        return others[int(self._chance("mistake", number) * len(others))]

    def _confidence(self, index: int, number: int) -> float:
        noise = NOISE * (2 * self._chance("confidence", number) - 1)
        if self._missing:
            return round(0.35 + noise, 2)
        return round(min(0.6 + 0.2 * (index == RIGHT) + 0.2 * (self._ability - 0.5) + noise, 1), 2)

    def judged(self, index: int) -> float:
        """Return the judge's score for an answer of the task."""
        knows = 0.5 if self._missing else self.reader.judge
        says_right = (index == RIGHT) == (self._chance("judge", index) < knows)
        return round(SCORES[not says_right] + NOISE * (self._chance("score", index) - 0.5), 3)

    def index_in(self, text: str) -> int | None:
        """Return the index of the last of the task's answers in a text, None if there is none."""
        searched = plain(text)
        places = [searched.rfind(each) for each in self._known.answers]
        return places.index(max(places)) if max(places) >= 0 else None

    def cues(self) -> list[str]:
        """Return the cues of missing memories whose `after` are all in the prompt."""
        if self._chance("curious") >= self.reader.curious:
            return []
        seen = {memory.key for memory in self.facts}
        return [each.cue for each in self._missing if seen.issuperset(each.after)]

    def fault(self, index: int) -> str:
        """Return a critic's remark on an answer; specific only if no needed memory is missing."""
        wrong = self.task.wrong[index - 1] if index and not self._missing else None
        return f"It {wrong.fault}." if wrong else "A step does not follow from what is given."

    def claims(self, index: int) -> list[str]:
        """Return the claims of an answer.

        A slip has the task's claims with its own number for the right one; a wrong answer from a
        missing memory has none.
        """
        if index == RIGHT or self.task.wrong[index - 1].missing:
            return list(self.task.claims) if index == RIGHT else []
        numbers = re.findall(r"\d+(?:\.\d+)?", self.task.answers[index].rpartition(":")[2])
        value = f"{self.task.check.get('value', ''):g}" if numbers and self._numeric else ""
        return [
            re.sub(rf"(?<![\d.]){re.escape(value)}(?![\d.])", numbers[-1], each) if value else each
            for each in self.task.claims
        ]

    @property
    def _numeric(self) -> bool:
        return self.task.check.get("type") == "number"
