"""Writes the packaged example's replies: `python -m tests.support.evals.example`.

The first version is answered in sentences or by a wrong label for half of the messages; the second
one by the right label for all but two.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path

from reasonloom.evals.core.run import run
from reasonloom.evals.example import FILES
from reasonloom.evals.loaders.declared import declared_eval
from reasonloom.llm.interfaces import Ask, Reply, Usage
from reasonloom.llm.providers.replay import Recorder
from reasonloom.settings import load_settings

RECORDING = FILES / "replies.jsonl"
WORDY = {
    "invoice-twice": "Billing",
    "card-expired": "This looks like a billing question.",
    "annual-plan": "sales",
    "receipt": "Account: the customer wants documents.",
    "downgrade": "account",
    "discount": "billing or bug",
    "shared-list": "feature request",
    "csv-import": "Feature request: import",
    "widget": "idea",
    "offline": "question",
    "slow-search": "performance",
}
"""Replies to the first version that are not the label."""

WRONG = {"offline": "billing", "keyboard": "bug"}
"""Replies to the second version that are not the label."""


class Scripted:
    """Answers a message by its label, or by what is scripted for it."""

    name = "scripted"
    offline = False

    def __init__(self, labels: dict[str, tuple[str, str]]) -> None:
        self._labels = labels

    async def answer(self, ask: Ask) -> Reply:
        """Return the scripted reply; tokens are the number of words."""
        system, user = (str(message.content) for message in ask.messages)
        number, label = self._labels[user.strip()]
        text = (WRONG if "one word" in system else WORDY).get(number, label)
        usage = Usage(len(f"{system} {user}".split()), len(text.split()), estimated=True)
        return Reply(text, None, self.name, usage)

    async def close(self) -> None:
        """Do nothing."""


async def main() -> None:
    """Write the recording anew."""
    RECORDING.unlink(missing_ok=True)
    found = declared_eval(FILES / "support.yaml")
    labels = {str(each.input): (each.id, str(each.target)) for each in found.suite.items}
    llm = Recorder(Scripted(labels), RECORDING)
    settings = load_settings(prompts=FILES / "prompts")
    with tempfile.TemporaryDirectory() as name:
        for place, system in enumerate(found.systems):
            log = Path(name) / f"{place}.jsonl"
            await run(found.suite, replace(system, llm=llm), log=log, settings=settings, at_once=1)


if __name__ == "__main__":
    asyncio.run(main())
