"""Facts about one memory, for its page and for the map's panel."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

from nicegui import ui

from reasonloom.stores.memory.memory_lists import Membership, OneMemory
from reasonloom.studio.widgets.elements import Fact, facts, mark, moment, tag, visible

MANY = 40
KINDS = {
    "user": "a user's",
    "tool": "a tool's",
    "derived": "derived by reasoning",
    "transcript": "a past conversation",
}


def status_facts(memory: OneMemory) -> None:
    """Draw its status: sector, source, hidden, superseded, limited trust."""
    with ui.element("p").classes("studio-row"):
        mark(memory.sector, "own")
        if memory.source_kind in ("derived", "transcript"):
            mark(KINDS[memory.source_kind], "quiet")
        if memory.deleted_at is not None:
            mark("hidden", "wrong")
        if memory.superseded_by is not None:
            mark("superseded", "warn")
        if memory.trust < 1:
            mark(f"trust {memory.trust:.2f}", "warn")


def scores(memory: OneMemory) -> None:
    """Draw its scores and other figures."""
    facts(
        {
            "Strength (stored)": f"{memory.strength:.3f}",
            "Salience": f"{memory.salience:.2f}",
            "Importance": f"{memory.importance:.2f}",
            "Confidence": f"{memory.confidence:.2f}",
            "Fades by": f"{memory.decay_rate:.4f} a day, before adjustments",
            "Accesses": f"{memory.access_count:,}",
            "Tokens": f"{memory.token_count:,}",
            "Kind": memory.event_type,
            "Project": _project(memory),
            "Category": memory.category,
            "Tags": ", ".join(memory.tags[:MANY]) or None,
            "Keywords": ", ".join(memory.keywords[:MANY]) or None,
            "Context": memory.context,
            "Stored": moment(memory.created_at),
            "Last access": moment(memory.last_accessed),
            "Hidden since": moment(memory.deleted_at) if memory.deleted_at else None,
        }
    )


def provenance(memory: OneMemory) -> None:
    """Draw who stored it, with what, and where."""
    facts(
        {
            "Source": KINDS.get(memory.source_kind, memory.source_kind),
            "Tool": memory.tool,
            "Principal": memory.principal,
            "Trust": f"{memory.trust:.2f}",
            "Run": (str(memory.run_id), f"/run/{memory.run_id}") if memory.run_id else "none kept",
            "Session": _session(memory),
        }
    )


def membership_facts(found: Sequence[Membership]) -> None:
    """Draw the basins that it belongs to."""
    if not found:
        tag("p", "It belongs to no basin (cluster of memories).", "studio-quiet")
        return
    with ui.element("ul").classes("studio-list"):
        for each in found:
            with ui.element("li"):
                ui.link(visible(each.name), f"/memory?{urlencode({'cluster': each.basin})}")
                tag("span", f" {each.strength:.2f}", "studio-quiet")


def past_link(project: str | None, session: str) -> str:
    """Return the address of a past session."""
    named = f"?{urlencode({'project': project})}" if project else ""
    return f"/history/session/{quote(session, safe='')}{named}"


def _project(memory: OneMemory) -> Fact:
    project = memory.past_project or memory.project
    if project is None:
        return None
    return project, f"/memory?{urlencode({'project': project, 'kinds': 'all'})}"


def _session(memory: OneMemory) -> Fact:
    if memory.past_session is not None:
        return memory.past_session, past_link(memory.past_project, memory.past_session)
    if memory.session_id is None:
        return None
    name = memory.session_name or str(memory.session_id)
    return (name, f"/session/{memory.session_id}") if memory.has_thoughts else name
