"""Pieces of past conversations as a strip of cards, and why there is no chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from nicegui import ui

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.studio.memory.facts import past_link
from reasonloom.studio.widgets.elements import mark
from reasonloom.studio.widgets.facts import facts
from reasonloom.studio.widgets.tag import tag
from reasonloom.studio.widgets.texts import prose, short_moment

UNSAID = "next in time; no link between them says more"


def strip(pieces: Sequence[Mapping[str, Any]], reasons: Sequence[str], *, chain: bool) -> None:
    """Draw the pieces in the order in which they are told; a chain has its reasons between."""
    with ui.element("ol").classes("studio-strip" if chain else "studio-found"):
        for place, (piece, why) in enumerate(zip(pieces, reasons, strict=True), start=1):
            with ui.element("li").classes("studio-card"):
                if chain and place > 1:
                    tag("p", why or UNSAID, "studio-why", dir="auto")
                _piece(place, piece)


def _piece(place: int, piece: Mapping[str, Any]) -> None:
    with ui.element("p").classes("studio-row"):
        tag("strong", f"{place}.")
        told = short_moment(datetime.fromisoformat(piece["time"])) if piece["time"] else "undated"
        tag("span", told, "studio-quiet")
        tag("span", shortened(piece["project"], 40), "studio-quiet")
        session = shortened(piece["session_id"], 24)
        ui.link(f"session {session}", past_link(piece["project"], piece["session_id"]))
        ui.link(piece["id"], f"/memory/{piece['id'].removeprefix('mem-')}")
        if piece["score"] is not None:
            tag("span", f"relevance {piece['score']:.2f}", "studio-quiet")
        if piece["cut"]:
            mark("cut", "quiet")
    prose(piece["content"])


def diagnosed(found: Mapping[str, Any] | None) -> None:
    """Draw why no chain was told, if that is so."""
    if found is None:
        return
    tag("h2", "Why there is no chain")
    facts(
        {
            "Reason": found["reason"],
            "Found by search": f"{found['search_results']:,}",
            "Beginnings tried": f"{found['seeds']:,}",
            "Chains tried": f"{found['chains']:,}",
            "Their lengths": ", ".join(map(str, found["lengths"][:20])) or "–",
        }
    )
