"""The form in which a visitor answers a waiting run in place of a language model."""

from collections.abc import Mapping, Sequence

from nicegui import ui

from reasonloom.stores.runs.questions import QuestionRow
from reasonloom.stores.runs.runs import RunRow
from reasonloom.studio.page_context import Visit
from reasonloom.studio.widgets.elements import code, tag
from reasonloom.studio.widgets.live import action_button


async def answer_form(visit: Visit, row: RunRow, opened: Sequence[QuestionRow]) -> None:
    """Draw the open questions, each with a field for its reply; one left empty stays open."""
    tag("h2", f"It waits for {len(opened)} {'reply' if len(opened) == 1 else 'replies'}")
    fields: dict[str, ui.textarea] = {}
    for each in opened:
        tag("h3", f"{each.id}: {each.role}")
        code(f"{each.system_text}\n\n{each.user_text}", f"Question {each.id}")
        field = ui.textarea(label=f"Reply to {each.id}, a JSON object")
        fields[each.id] = field.classes("studio-reply").props("outlined rows=6")

    async def send() -> str:
        typed = {name: field.value for name, field in fields.items() if (field.value or "").strip()}
        problem = await _answer(visit, row, typed)
        if not problem:
            ui.navigate.to(f"/run/{row.id}")
        return problem

    action_button("Answer", send)


async def _answer(visit: Visit, row: RunRow, typed: Mapping[str, str]) -> str:
    """Record replies; return what is wrong with the invalid ones, "" if all are valid."""
    from reasonloom.graphs.runs.answers import (  # noqa: PLC0415 - loads the graphs
        Given,
        GivenReply,
        answer_run,
    )

    caller, engine = await visit.context.writer(), await visit.context.engine()
    given = Given([GivenReply(name, text) for name, text in typed.items()])
    answered = await answer_run(engine, caller.within(row.space or None), str(row.id), given)
    misfits = answered.outcome.round.misfits if answered.outcome.round else {}
    return "; ".join(f"{name}: {problem}" for name, problem in misfits.items())
