"""The baseline: chains found by word overlap, which the set is written to defeat."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reasonloom.evals.suites.history.data import HistorySet
from reasonloom.evals.suites.history.records import KINDS, Chain, Moment, Turn

WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,:]\d+)*")
UNSPACED = re.compile(r"[぀-ヿ一-鿿]+")


@dataclass(frozen=True)
class Found:
    """What word overlap finds of a chain.

    `first` and `last`: the best turn is the chain's first or last. `any`: it is in the chain.
    `whole`: the best turns, as many as the chain has, are the chain. `share`: how much of the chain
    they hold. `misled`: the best turn is a labelled distractor.
    """

    chain: Chain
    first: bool
    last: bool
    any: bool
    whole: bool
    share: float
    misled: bool


def found(history: HistorySet, *, own_world: bool) -> list[Found]:
    """Return what is found of every chain, in its own world or in all worlds of the half."""
    everything = [turn for world in history.worlds for turn in world.turns]
    return [
        _found(chain, world.turns if own_world else everything)
        for world in history.worlds
        for chain in world.chains
    ]


def foreseen(history: HistorySet, *, own_world: bool) -> list[tuple[Moment, bool, float]]:
    """Return for every moment whether the best turn belongs to it, and the share of `after`.

    The share is of the turns following the best turn, as many as `after` has.
    """
    everything = [turn for world in history.worlds for turn in world.turns]
    results = []
    for world in history.worlds:
        turns = world.turns if own_world else everything
        for moment in world.moments:
            best = _best(moment.context, turns, 1)[0]
            place = next(n for n, turn in enumerate(turns) if turn.id == best)
            next_ones = {turn.id for turn in turns[place + 1 : place + 1 + len(moment.after)]}
            share = len(next_ones & set(moment.after)) / len(moment.after)
            results.append((moment, best in moment.moments, share))
    return results


def by_kind(chains: Sequence[Found]) -> dict[str, float]:
    """Return the mean share of the chain that is found, per kind."""
    return {
        kind: sum(each.share for each in chains if each.chain.kind == kind)
        / sum(each.chain.kind == kind for each in chains)
        for kind in KINDS
    }


def _found(chain: Chain, turns: Sequence[Turn]) -> Found:
    best = _best(chain.question, turns, len(chain.chain))
    held = set(best) & set(chain.chain)
    return Found(
        chain,
        first=best[0] == chain.chain[0],
        last=best[0] == chain.chain[-1],
        any=best[0] in chain.chain,
        whole=tuple(sorted(best)) == chain.chain,
        share=len(held) / len(chain.chain),
        misled=best[0] in {each.turn for each in chain.distractors},
    )


def _best(query: str, turns: Sequence[Turn], number: int) -> list[str]:
    """Return the turns with the highest word overlap, rarer words weighing more.

    Ties go to the shorter turn.
    """
    words = set(_words(query))
    words_of_turns = [set(_words(turn.text)) for turn in turns]
    turns_with = Counter(word for own in words_of_turns for word in own & words)
    weight = {word: math.log(len(words_of_turns) / number) for word, number in turns_with.items()}
    counted = [
        (-sum(weight[word] for word in sorted(words & own)), len(own), turn.id)
        for turn, own in zip(turns, words_of_turns, strict=True)
    ]
    return [name for _, _, name in sorted(counted)[:number]]


def _words(text: str) -> Iterator[str]:
    """Yield words; unspaced scripts are split into character pairs."""
    for word in WORD.findall(text.casefold()):
        if UNSPACED.match(word):
            yield from (word[n : n + 2] for n in range(max(1, len(word) - 1)))
        else:
            yield word
