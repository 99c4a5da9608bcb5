"""The system under test: way of answering, prompt versions, and language model."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from reasonloom.errors import SettingMistake
from reasonloom.evals.core.budget import Budget, Spending
from reasonloom.evals.core.llm_calls import BudgetedModel, Limits, RecordedModel
from reasonloom.evals.core.way import Way
from reasonloom.evals.simulated.game24.model import Game24Model
from reasonloom.evals.simulated.intersection import SimulatedIntersecter
from reasonloom.evals.simulated.reader import SimulatedReader
from reasonloom.evals.simulated.sorting import SimulatedSorter
from reasonloom.llm.from_settings import choose_llm
from reasonloom.llm.interfaces import Keyed, LanguageModel
from reasonloom.llm.providers.caller import CALLER
from reasonloom.llm.providers.replay import CachedModel
from reasonloom.settings import Settings

SIMULATED: Mapping[str, Callable[[], LanguageModel]] = {
    "game24": Game24Model,
    "sorting": lambda: SimulatedSorter(0),
    "intersection": lambda: SimulatedIntersecter(0),
    "reader": SimulatedReader,
}
"""Models that `simulated:NAME` may select in an eval."""


@dataclass(frozen=True, slots=True)
class System:
    """One system: how it answers (None for the suite's own way), prompt versions, and the model.

    `llm` is a value of `REASONLOOM_LLM` or a language model; None for the configured one.
    """

    way: Way | None = None
    prompts: Mapping[str, int] = field(default_factory=dict)
    llm: str | LanguageModel | None = None


@dataclass(slots=True)
class Purse:
    """Shared by all language models of one command: budget, provider limits, and a cache."""

    budget: Budget = field(default_factory=Budget)
    limits: Limits = field(default_factory=Limits)
    cache: Path | None = None
    count_errors: bool = False
    spending: Spending = field(init=False)

    def __post_init__(self) -> None:
        self.spending = Spending(self.budget)

    @asynccontextmanager
    async def llm(
        self, chosen: str | LanguageModel | None, settings: Settings
    ) -> AsyncIterator[LanguageModel]:
        """Yield a language model with budget and recording; close it unless given as an object.

        Raises:
            SettingMistake: the name yields no provider.
        """
        if isinstance(chosen, str):
            settings, chosen = settings.model_copy(update={"llm": chosen}), None
        if chosen is None and settings.llm == CALLER:
            raise SettingMistake(
                f"REASONLOOM_LLM={CALLER}: nobody calls an eval; name a provider, such as "
                "litellm:openai/gpt-5, or offline",
                field="REASONLOOM_LLM",
            )
        provider = choose_llm(settings, SIMULATED) if chosen is None else chosen
        guarded: LanguageModel = BudgetedModel(
            provider,
            self.spending,
            self.limits,
            most_tokens=settings.output_tokens,
            count_errors=self.count_errors,
        )
        try:
            yield RecordedModel(CachedModel(guarded, self.cache) if self.cache else guarded)
        finally:
            if chosen is None:
                await provider.close()

    async def check_key(self, chosen: str | LanguageModel | None, settings: Settings) -> None:
        """Refuse a provider whose key is not set; with a cache, which may have every reply, none.

        Raises:
            LlmRefused: the key is not set.
        """
        if self.cache or not (chosen is None or isinstance(chosen, str)):
            return
        provider = choose_llm(
            settings.model_copy(update={"llm": chosen or settings.llm}), SIMULATED
        )
        try:
            if isinstance(provider, Keyed):
                await provider.check_key()
        finally:
            await provider.close()
