"""What helps against each bias, as data."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import shorten
from types import MappingProxyType

from reasonloom.contracts.metacognition import Bias

CORRECTIONS: Mapping[Bias, str] = MappingProxyType(
    {
        "confirmation": "Look for what would prove {quote} wrong, and weigh it by the same "
        "measure as what supports it.",
        "anchoring": "Leave the figure behind {quote} aside, estimate from independent grounds "
        "first, and compare the two only then.",
        "availability": "Look up how often this really happens before {quote} decides: a case "
        "that comes to mind easily is not a frequent one.",
        "recency": "Put {quote} beside the whole record with its dates, and let it count for "
        "one entry unless something has changed for good.",
        "representativeness": "Begin with how common it is at all, and ask how much {quote} "
        "really changes that; a likeness or a few cases are weak evidence.",
        "framing": "Say {quote} the other way round (gain as loss, part as rest, per day as per "
        "year), and see whether the judgement stays the same.",
        "sunk_cost": "What {quote} speaks of is gone either way: compare only what still lies "
        "ahead, as somebody would who begins today.",
        "attribution": "Ask what in the situation would make anybody do the same before {quote} "
        "is laid to character; apply the same measure to yourself.",
    }
)
LONGEST_QUOTE = 100


def correction(bias: Bias, quote: str) -> str:
    """Return what to do about a bias that these words show."""
    words = " ".join(quote.split())
    return CORRECTIONS[bias].format(quote=f"“{shorten(words, LONGEST_QUOTE, placeholder=' …')}”")
