"""A stand-in that answers without a language model, from the prompt's own variables.

It lets everything run on a fresh machine without a key: answers are extracts of the variables
except the history of earlier thoughts, numbers are low, and nothing is invented.
"""

import json

from reasonloom.errors import LlmRefused
from reasonloom.llm.interfaces import Ask, Reply, usage_of
from reasonloom.llm.messages import text_of, to_dicts
from reasonloom.llm.offline.fill import NOTHING_KNOWN, SENTENCES, fill
from reasonloom.llm.offline.schema import Unfillable
from reasonloom.text.extraction import Findings
from reasonloom.text.sentences import join_sentences


class OfflineModel:
    """Answers every question immediately, at no cost, in the requested form."""

    name = "offline"
    offline = True

    async def answer(self, ask: Ask) -> Reply:
        """Answer from `ask.material`; the same question always gets the same answer.

        Raises:
            LlmRefused: the schema cannot be filled without a language model.
        """
        known = {name: value for name, value in ask.material.items() if name != "history"}
        findings = Findings.of(known)
        parsed = None
        text = join_sentences(findings.ranked[:SENTENCES]) or NOTHING_KNOWN
        if ask.schema is not None:
            try:
                parsed = fill(ask.schema, findings)
            except Unfillable:
                raise LlmRefused(
                    "offline: this schema cannot be filled without a language model"
                ) from None
            text = json.dumps(parsed, ensure_ascii=False)
        question = text_of(to_dicts(ask.messages)) if ask.messages else ""
        usage = usage_of((None, None), (question, text), cost_usd=0.0)
        return Reply(text=text, parsed=parsed, model="offline", usage=usage)

    async def close(self) -> None:
        """Do nothing: no resources are held."""
