"""The schemas that `publish` keeps; run as a module it writes them anew."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import BaseModel

from reasonloom.contracts.runs import NeedsAnswers, ReasoningAnswer, ReasoningWaiting
from reasonloom.contracts.schema import KEPT, build, name_of
from reasonloom.server.apps.view_tool import VIEWS
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS


def published_models() -> Iterator[tuple[type[BaseModel], bool]]:
    """Yield each model that a server publishes, and whether it is an answer."""
    for line in (line for each in (*TOOLSETS, *EXTRA_TOOLSETS) for line in each.tools):
        for request in filter(None, (line.request, line.reference_request)):
            yield request, False
        for answer in filter(None, (line.answer, line.reference_answer)):
            yield answer, True
    for view in VIEWS.values():
        yield view.request, False
    yield from ((ReasoningAnswer, False), (ReasoningWaiting, False), (NeedsAnswers, True))


def published_schemas() -> str:
    """Return the file of the schemas, in the order of their names."""
    lines = {
        f"{name_of(model, answer=answer)}\t"
        + json.dumps(build(model, answer=answer), ensure_ascii=False, separators=(",", ":"))
        for model, answer in published_models()
    }
    return "".join(f"{line}\n" for line in sorted(lines))


if __name__ == "__main__":
    KEPT.write_text(published_schemas(), encoding="utf-8")
