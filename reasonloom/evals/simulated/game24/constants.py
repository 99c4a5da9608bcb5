"""The constants of the simulated Game of 24 model, fixed before any search was run with it.

Source, unless stated otherwise: the trajectories published with Tree of Thoughts (Yao et al. 2023,
princeton-nlp/tree-of-thought-llm, commit ab40034, MIT licence): GPT-4 at temperature 0.7, puzzles
ranked 901 to 1000; 10,000 chains, 1,288 proposals and 6,862 judged states. Each constant states
its origin:

    measured   counted in those logs
    fitted     chosen to reproduce the named published figure
    rounded    measured on few cases, and rounded

None was fitted to the figures of a search. Later changes are listed here with their source.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

Judgement = Literal["sure", "likely", "impossible"]
Sight = Literal["lost", "hard", "easy", "open"]
"""A judge's view of a state.

24 is unreachable (`lost`), reachable with one or two numbers left (`open`), or reachable with three
and `hard` or `easy` to see.
"""

Table = tuple[tuple[tuple[Judgement, ...], float], ...]

S: Judgement = "sure"
L: Judgement = "likely"
I: Judgement = "impossible"  # noqa: E741  # one letter each, to keep the tables readable

WORTH: Mapping[str, float] = MappingProxyType({S: 20.0, L: 1.0, I: 0.001})
"""The value of a judgement; a state's value is the sum of three, as in the published code."""


@dataclass(frozen=True, slots=True, eq=False)
class Constants:
    """Parameters of the model; figures are reported for `PUBLISHED`.

    Attributes:
        proposed: measured. Probability that a correctly computed next state is proposed, by the
            numbers left, whether the state is natural (integers, none below 0), and whether it
            keeps 24 reachable. Natural states that keep it reachable from three numbers are covered
            by `only_way` and `one_of_several`.
        easy: measured. Share of the three-number states with 24 reachable that the judge
            recognises (value 20 or more).
        only_way: measured. Probability that the only next state that keeps 24 reachable is
            proposed from three numbers, if natural, in an easy and in a hard state.
        one_of_several: rounded. The same if several states keep 24 reachable.
        slip: measured. Share of proposals with wrong arithmetic, by numbers left.
        judged: measured. Distribution of three judgements of a state, by numbers left and sight.
            With one number left, one judgement of three is often missing in the logs.
        written: measured (121 of 162). Probability that the final expression is right if the
            steps are.
        chain_kept: measured. Share of chains whose next step keeps 24 reachable, by numbers left.
        chain_odds: fitted to `chain_kept` on the 100 published puzzles (tests/support/
            game24_fit.py). Factor by which a chain prefers a step that keeps 24 reachable.
        chain_written: fitted to the published 4 % of one chain, after `chain_kept`. Like
            `written`, for chains.
        chain_natural: rounded, from the frequency of proposals (.5 natural, .07 others). Factor
            by which a chain prefers a natural step.
        chain_taste: fitted to the published 49 % of the best of 100 chains (48.9 % at 3.2, by
            exact enumeration; steps of .1), for the preferences as drawn here: other draws change
            the best of 100 by up to 6 points. Standard deviation of the log odds of the fixed
            preference for single steps.
        direct: fitted to the published 7.3 % of one direct answer and 33 % of the best of 100.
            Parameters of the beta distribution of a puzzle's share of right answers.
        tokens: fitted to the token totals of the logs. Tokens of the question, and of one
            proposal, judgement or sample of the answer, by kind; sizes are those of the published
            prompts, not of the packaged templates.
    """

    proposed: Mapping[tuple[int, bool, bool], float]
    easy: float
    only_way: Mapping[bool, float]
    one_of_several: float
    slip: Mapping[int, float]
    judged: Mapping[tuple[int, Sight], Table]
    written: float
    chain_kept: Mapping[int, float]
    chain_odds: Mapping[int, float]
    chain_written: float
    chain_natural: float
    chain_taste: float
    direct: tuple[float, float]
    tokens: Mapping[str, tuple[int, int]]


_PROPOSED = {
    (4, True, True): 0.528, (4, True, False): 0.453, (4, False, True): 0.051,
    (4, False, False): 0.085, (3, True, False): 0.597, (3, False, True): 0.096,
    (3, False, False): 0.130, (2, True, True): 0.931, (2, True, False): 0.817,
    (2, False, False): 0.356,
}  # fmt: skip

_JUDGED: dict[tuple[int, Sight], Table] = {
    (3, "lost"): (
        ((L, L, L), 0.80),
        ((I, I, I), 0.115),
        ((L, L, I), 0.045),
        ((L, I, I), 0.035),
        ((S, L, L), 0.005),
    ),
    (3, "hard"): (((L, L, L), 0.83), ((I, I, I), 0.11), ((L, L, I), 0.035), ((L, I, I), 0.025)),
    (3, "easy"): (((S, S, S), 0.59), ((S, S, L), 0.17), ((S, L, L), 0.24)),
    (2, "lost"): (((I, I, I), 0.552), ((L, I, I), 0.216), ((L, L, I), 0.140), ((L, L, L), 0.092)),
    (2, "open"): (((S, S, S), 0.95), ((S, S, I), 0.02), ((S, L, L), 0.015), ((L, L, L), 0.015)),
    (1, "lost"): (((I, I), 0.93), ((L, I, I), 0.045), ((L, L, I), 0.025)),
    (1, "open"): (((S, S, S), 1.0),),
}

PUBLISHED = Constants(
    proposed=MappingProxyType(_PROPOSED),
    easy=0.52,
    only_way=MappingProxyType({True: 0.875, False: 0.56}),
    one_of_several=0.9,
    slip=MappingProxyType({4: 0.017, 3: 0.009, 2: 0.004}),
    judged=MappingProxyType(_JUDGED),
    written=0.75,
    chain_kept=MappingProxyType({4: 0.370, 3: 0.143, 2: 0.992}),
    chain_odds=MappingProxyType({4: 4.6915, 3: 1.0748, 2: 339.4926}),
    chain_written=0.77,
    chain_natural=7.0,
    chain_taste=3.2,
    direct=(0.085, 1.07),
    tokens=MappingProxyType(
        {
            "propose": (120, 14),
            "value": (235, 31),
            "answer": (300, 45),
            "chain": (297, 46),
            "direct": (200, 18),
        }
    ),
)


def blind(constants: Constants) -> Constants:
    """Return the constants with a blind judge, which judges every state like a lost one."""
    seen = constants.judged
    return replace(constants, judged=MappingProxyType({key: seen[key[0], "lost"] for key in seen}))
