"""The suite `history`: worlds ingested together, chains recalled, moments foretold."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Answering, Opening, Parts
from reasonloom.evals.engine import Once, throw_away_engine
from reasonloom.evals.scorers.measure import Measure
from reasonloom.evals.suites.history import queries
from reasonloom.evals.suites.history.history_data import HERE, HistorySet, history, wording
from reasonloom.evals.suites.history.judge import foretold, judged
from reasonloom.evals.suites.history.records import Chain, Moment, Turn, Wording
from reasonloom.evals.suites.history.report import FORMS, MOMENT, summary
from reasonloom.evals.suites.packaged import Packaged
from reasonloom.llm.embedding.choose import choose_embedder
from reasonloom.settings import load_settings

if TYPE_CHECKING:
    from reasonloom.evals.log import EvalLog
    from reasonloom.graphs.runs.engine import Engine

NAME = "history"
NOTE = (
    "All worlds of the half are stored together and asked without a project. noise: what tools"
    " gave goes on for 1,200 characters. right: README.md of the set tells what it means."
)
SCORES = (
    "right", "problem", "solution", "ordered", "share", "pure", "strayed", "pieces", "chain",
    "tokens", "foretold",
)  # fmt: skip
"""Of a moment the last three."""


def packaged(half: str = "dev", data: Path | None = None, asked: str = "other") -> Packaged:
    """Return the questions of a half in one of their wordings, each in both forms.

    Args:
        data: a folder with a set of another's own.

    Raises:
        InvalidArgument: another half or wording, or a set that is not of its form.
    """
    words, chosen, settings = wording(asked), history(half, data or HERE), load_settings()
    every: tuple[Chain | Moment, ...] = (*chosen.chains, *chosen.moments)
    known = {each.id: each for each in every}
    suite = Suite(
        NAME,
        [item for form in FORMS for item in items(chosen, form, words)],
        [Measure(name, partial(_read, known, name)) for name in SCORES],
        Opening(partial(opened, chosen), "history_recall, history_predict"),
        about={
            "half": half,
            "asked": words,
            "data_sha256": chosen.sha256,
            "embedder": choose_embedder(settings).model,
            "budget": settings.max_response_tokens,
        },
    )
    return Packaged(suite, told)


def told(log: EvalLog) -> dict[str, Any]:
    """Return the figures of both forms."""
    return {"note": NOTE, "forms": {form: summary(log.records, form) for form in FORMS}}


def items(chosen: HistorySet, form: str, words: Wording) -> list[Item]:
    """Return the questions as they are asked of worlds in a form; a world's hang together."""
    return [
        *(
            Item(f"{form}/{each.id}", each.asked(words), list(each.chain), each.world, each.kind)
            for each in chosen.chains
        ),
        *(
            Item(f"{form}/{each.id}", each.context, list(each.after), each.world, MOMENT)
            for each in chosen.moments
        ),
    ]


def _read(
    known: Mapping[str, Chain | Moment], name: str, item: Item, output: Mapping[str, Any]
) -> float | None:
    return scored(known[item.id.partition("/")[2]], output).get(name)


def scored(question: Chain | Moment, output: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores of an answer by name."""
    pieces = output["pieces"]
    both = {"chain": float(not output["reason"]), "tokens": float(output["tokens"])}
    if isinstance(question, Moment):
        return {"foretold": foretold(question, pieces), **both}
    result = judged(question, pieces)
    return {
        "right": float(result.right),
        "problem": float(result.problem),
        "solution": float(result.solution),
        "ordered": float(result.ordered),
        "share": result.share,
        "pure": result.pure,
        "strayed": float(result.strayed),
        "pieces": float(len(pieces)),
        **both,
    }


@asynccontextmanager
async def opened(chosen: HistorySet, parts: Parts) -> AsyncIterator[Answering]:
    """Yield what asks; the worlds are stored in a form when its first question comes."""
    turns = [turn for world in chosen.worlds for turn in world.turns]
    async with AsyncExitStack() as stack:

        async def ingested(form: str) -> Engine:
            engine = await stack.enter_async_context(throw_away_engine(parts, read_only=True))
            for world in chosen.worlds:
                await queries.store(engine, world, noise=form == "noise")
            return engine

        stored: Once[str, Engine] = Once(ingested)

        async def answer(item: Item, epoch: int) -> Answer:
            return await ask(await stored.of(item.id.partition("/")[0]), item, turns)

        yield answer


async def ask(engine: Engine, item: Item, turns: Sequence[Turn]) -> Answer:
    """Return the pieces of an answer, each by the turns that it shows."""
    asked = queries.predict if item.group == MOMENT else queries.recall
    found = await asked(engine, item.input, turns)
    said = {
        "pieces": [sorted(piece) for piece in found.pieces],
        "reason": found.reason,
        "tokens": found.tokens,
    }
    return Answer(said, latency_ms=found.latency_ms)
