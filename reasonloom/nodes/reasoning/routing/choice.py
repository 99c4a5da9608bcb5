"""Combine the votes into a recommended mode, its confidence and a plain-text rationale."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from reasonloom.nodes.reasoning.routing.weights import WEIGHTS, combine_vote, hint_evidence

LEAST_ALTERNATIVE = 0.03
LEAST_REASON = 0.25
"""Minimum value (0..1) of a feature for it to be given as a reason."""

MOST_ALTERNATIVES = 3
REASONS: Mapping[str, str] = MappingProxyType(
    {
        "plain": "it is short and asks for no more than an answer",
        "lookup": "it asks for a fact, an explanation or a next step",
        "numbers": "it is about numbers",
        "alternatives": "it names alternatives",
        "choice": "it asks for a choice or a comparison",
        "creation": "it asks for something new",
        "critique": "it asks to check or improve what there is",
        "dead_end": "it mentions a dead end or going back",
        "way_back": "the session has a checkpoint to go back to",
        "combination": "its parts depend on each other or are to be put together",
        "conflict": "goals, values or people in it conflict",
        "questions": "it asks several questions",
        "length": "it is long",
        "session": "the session has a history to look back on",
    }
)
TOOLS: Mapping[str, str] = MappingProxyType(
    {
        "linear": "reasoning_linear",
        "tree": "reasoning_tree",
        "divergent": "reasoning_divergent",
        "reflection": "reasoning_reflection",
        "backtracking": "reasoning_backtrack",
        "got": "reasoning_got_init",
        "ponder": "ponder",
    }
)
"""The tool that starts each mode."""

NOT_OFFERED = " {mode} would fit better, but this server does not offer it."
NONE_OFFERED = " This server offers none of the modes."
ENOUGH = "nothing in it asks for more than one line of reasoning: linear is enough"


def shares_with_vote(shares: Mapping[str, float], vote: Mapping[str, Any]) -> dict[str, float]:
    """Return the shares, combined with the language model's vote if there is one."""
    return combine_vote(shares, vote["mode"], vote["confidence"]) if vote else dict(shares)


def offered_shares(shares: Mapping[str, float], offered: Collection[str]) -> dict[str, float]:
    """Return the renormalised shares of the offered modes; all shares if none is offered."""
    kept = {mode: share for mode, share in shares.items() if mode in offered}
    whole = sum(kept.values())
    return {mode: share / whole for mode, share in kept.items()} if whole else dict(shares)


def best_mode(shares: Mapping[str, float]) -> str:
    """Return the mode with the highest share; ties go to the simpler mode."""
    return max(shares, key=shares.__getitem__)


def reasons_for(mode: str, features: Mapping[str, float], hints: list[str]) -> str:
    """Return the strongest features and the hints in favour of a mode, as text."""
    weighed = {
        name: modes[mode] * features.get(name, 0.0)
        for name, modes in WEIGHTS.items()
        if mode in modes and features.get(name, 0.0) >= LEAST_REASON
    }
    reasons = [REASONS[name] for name in sorted(weighed, key=weighed.__getitem__, reverse=True)[:3]]
    if mode == "linear":
        reasons.append(ENOUGH)
    if added := hint_evidence(hints).get(mode):
        reasons.append(f"the hints favour it (+{added:.1f})")
    return "; ".join(reasons) or "no sign of it in the content"


def alternatives_to(
    chosen: str, shares: Mapping[str, float], features: Mapping[str, float], hints: list[str]
) -> list[dict[str, Any]]:
    """Return up to three next best modes with their reasons, best first."""
    order = sorted((mode for mode in shares if mode != chosen), key=shares.__getitem__)[::-1]
    likely = [mode for mode in order if shares[mode] >= LEAST_ALTERNATIVE] or order[:1]
    return [
        {
            "mode": mode,
            "confidence": round(shares[mode], 3),
            "rationale": reasons_for(mode, features, hints),
        }
        for mode in likely[:MOST_ALTERNATIVES]
    ]
