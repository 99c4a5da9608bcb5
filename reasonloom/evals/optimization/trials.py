"""Tries texts of one prompt: each is a version in the run's folder, each result a log there."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from reasonloom.errors import BudgetExceeded, InvalidArgument, LlmUnavailable
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.run import AT_ONCE, Progress, no_progress, run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import Purse, System
from reasonloom.evals.core.way import Way
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.optimization.candidate import with_body
from reasonloom.evals.optimization.split import subset
from reasonloom.llm.interfaces import Embedder, LanguageModel
from reasonloom.prompts.registry import PromptRegistry, template_files
from reasonloom.prompts.template import PromptTemplate
from reasonloom.settings import Settings
from reasonloom.stores.access import Access

PROMPTS, LOGS, TAPE = "prompts", "logs", "tape.jsonl"
SPENT = {"calls": ("calls",), "tokens": ("tokens_in", "tokens_out"), "usd": ("usd",)}
"""The usage that counts towards each limit of a budget."""

PROPOSED = 10_000
"""Proposals get versions above this, separate from the user's own."""


@dataclass(frozen=True, slots=True)
class TrialOptions:
    """How texts are tried: who answers and judges, how often, and with which seed."""

    way: Way
    llm: str | LanguageModel | None = None
    judge: str | LanguageModel | None = None
    epochs: int = 1
    seed: int = 0
    at_once: int = AT_ONCE
    access: Access | None = None
    embedder: Embedder | None = None


@dataclass(slots=True)
class TrialRunner:
    """Tries texts of a prompt on items of a suite; reuses earlier results in the run's folder."""

    folder: Path
    suite: Suite
    trial: TrialOptions
    purse: Purse
    settings: Settings
    base: PromptTemplate
    tell: Progress = no_progress
    versions: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.versions[self.base.body.strip()] = self.base.about.version

    @property
    def score(self) -> str:
        """The score by which texts are selected: the first scorer's."""
        return self.suite.scorers[0].name

    def version(self, body: str) -> int:
        """Return the version of a valid text, writing it to the run's folder if new."""
        key = body.strip()
        if key not in self.versions:
            number = PROPOSED + len(self.versions)
            template = with_body(self.base, key, number)
            path = self.folder / PROMPTS / template.source
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(template.text, encoding="utf-8")
            self.versions[key] = number
        return self.versions[key]

    def template(self, body: str) -> PromptTemplate:
        """Return a text as the version under which it was tried."""
        return with_body(self.base, body, self.version(body))

    async def tried(self, body: str, items: Sequence[Item], name: str = "") -> EvalLog:
        """Return the results of a text on items, running those that are missing.

        BudgetExceeded if there is no room for all of them, LlmUnavailable if some failed through no
        fault of the text, PromptMistake if it cannot be rendered with an item.
        """
        items = list({item.id: item for item in items}.values())
        version = self.version(body)
        self._require_rendered(version, items)
        log = self.folder / (name or f"{LOGS}/v{version}-{_digest(items)}.jsonl")
        log.parent.mkdir(parents=True, exist_ok=True)
        trial = self.trial
        system = System(trial.way, {self.base.about.name: version}, trial.llm)
        ran = await run(
            subset(self.suite, items), system, log=log, epochs=trial.epochs, seed=trial.seed,
            judge=trial.judge, purse=self.purse, at_once=trial.at_once, tell=self.tell,
            settings=self.settings, access=trial.access, embedder=trial.embedder,
        )  # fmt: skip
        if ran.stopped:
            raise BudgetExceeded(ran.stopped)
        if ran.failed:
            raise LlmUnavailable(f"{len(ran.failed)} items came to nothing: {ran.failed[0]}")
        return ran.log

    def _require_rendered(self, version: int, items: Sequence[Item]) -> None:
        """Refuse a text that cannot be rendered with an item."""
        registry = PromptRegistry(self.settings.prompts).pinning({self.base.about.name: version})
        for item in items:
            self.trial.way.check(item, registry)


def with_prompts_copy(folder: Path, settings: Settings) -> Settings:
    """Return settings with the run's own copy of the prompts folder, created on its first start."""
    there, own = folder / PROMPTS, settings.prompts
    if not there.is_dir():
        PromptRegistry(own)
        half = folder / f"{PROMPTS}.half"
        shutil.rmtree(half, ignore_errors=True)
        try:
            half.mkdir(parents=True)
            if own is not None:
                for path in template_files(own):
                    copy = half / path.relative_to(own)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, copy)
            half.rename(there)
        except OSError:
            raise InvalidArgument(f"{folder.name}: cannot be written", field="resume") from None
    return settings.model_copy(update={"prompts": there})


def base_of(settings: Settings, name: str, version: int | None) -> PromptTemplate:
    """Return the prompt to optimise: the newest that is not a proposal of this run."""
    registry = PromptRegistry(settings.prompts)
    own = [each for each in registry.versions(name) if each <= PROPOSED]
    if registry.versions(name) and not own:
        raise InvalidArgument(f"{name}: must have a version up to {PROPOSED}", field="prompt")
    return registry.get(name, version if version is not None else max(own, default=None))


def _digest(items: Sequence[Item]) -> str:
    entries = "\n".join(sorted(f"{item.id}\0{item.digest}" for item in items))
    return sha256(entries.encode("utf-8", "replace")).hexdigest()[:12]


def usage_of(log: EvalLog) -> dict[str, float]:
    """Return calls, tokens and US dollars of all results, including judging."""
    return {
        limit: sum((_total(record, names) for record in log.records), 0.0)
        for limit, names in SPENT.items()
    }


def _total(record: Record, names: Sequence[str]) -> float:
    return sum(
        (record.usage.get(f"{whose}{name}", 0.0) for whose in ("", "judge_") for name in names), 0.0
    )
