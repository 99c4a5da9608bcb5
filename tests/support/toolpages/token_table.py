"""What tools cost in tokens; run as a module it writes the table of them anew."""

from __future__ import annotations

import json

from reasonloom.contracts.schema import publish
from reasonloom.server.catalogue.selection import choose
from reasonloom.server.catalogue.served import ServedTool
from reasonloom.server.tool import description_of
from reasonloom.settings import load_settings
from reasonloom.text.tokens import count_tokens
from tests import ROOT

TABLE = ROOT / "tests" / "server" / "catalogue" / "catalogue_tokens.json"


def weight(served: ServedTool) -> int:
    """Return the tokens of a tool's name, description and input schema (o200k)."""
    told = {
        "name": served.name,
        "description": description_of(served),
        "inputSchema": publish(served.line.request),
    }
    return count_tokens(json.dumps(told, ensure_ascii=False, separators=(",", ":")))


def weights(*toolsets: str) -> dict[str, int]:
    """Return what each tool of some toolsets costs."""
    tools = choose(load_settings(toolsets=toolsets)).tools
    return {served.name: weight(served) for served in tools}


def main() -> None:
    """Write what each tool costs now."""
    table = dict(sorted(weights("all", "extras").items()))
    TABLE.write_text(json.dumps(table, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
