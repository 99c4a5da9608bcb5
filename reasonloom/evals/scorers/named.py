"""Built-in scorers by name, such as `contains` or `numeric:0.01`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.item import Scorer
from reasonloom.evals.scorers.judge import Judge
from reasonloom.evals.scorers.text import Fields, Pattern, choice, contains, exact, numeric

SCORERS: Mapping[str, Callable[[str], Scorer]] = MappingProxyType(
    {
        "exact": lambda text: exact(),
        "final": lambda text: exact(final=True, name="final"),
        "contains": lambda text: contains(),
        "choice": lambda text: choice(),
        "numeric": lambda text: numeric(tolerance=_number(text or "0")),
        "regex": Pattern,
        "json_fields": lambda text: Fields(tuple(each for each in text.split(",") if each)),
        "judge": lambda text: Judge(votes=_whole(text or "3")),
    }
)
WITHOUT_PARAMETER = ("exact", "final", "contains", "choice")


def scorer_named(text: str) -> Scorer:
    """Return the scorer with a name; text after a colon is its parameter.

    Raises:
        InvalidArgument: the name is unknown, or the parameter is malformed.
    """
    name, _, parameter = text.partition(":")
    if name not in SCORERS or (name == "regex" and not parameter):
        known = ", ".join(SCORERS).replace("regex", "regex:EXPRESSION")
        raise InvalidArgument(f"scorer: must be one of {known}; got {text[:80]}", field="scorer")
    if parameter and name in WITHOUT_PARAMETER:
        raise InvalidArgument(f"scorer: {name} takes nothing after a colon", field="scorer")
    return SCORERS[name](parameter)


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise InvalidArgument(f"scorer: {text} is no whole number", field="scorer")
    return int(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidArgument(f"scorer: {text} is no number", field="scorer") from None
