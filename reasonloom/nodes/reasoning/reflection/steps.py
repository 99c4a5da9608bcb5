"""Steps of reflection: criticise, revise and compare blind, for as many rounds as allowed."""

from hashlib import sha256
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.reflection import ReflectionWithQuestion
from reasonloom.errors import BudgetExceeded, ThoughtNotFound
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import OPEN_QUESTION, open_question
from reasonloom.nodes.reasoning.context import recall_for
from reasonloom.nodes.reasoning.lookup import (
    Informed,
    MemoryState,
    ask_informed_or_note,
    informed_by,
)
from reasonloom.nodes.runs.llm_call import OptionalReply, Question, ask_or_note
from reasonloom.nodes.sessions.context import branch_history, session_context
from reasonloom.stores.sessions import sessions, thoughts
from reasonloom.stores.sessions.thoughts import ThoughtRow

MODE = "reflection"
JUDGED = "What holds in it, what does not, and what would mend it?"
HANDLED = "How does the answer deal with it?"
CRITICISM = ("strengths", "weaknesses", "recommendations", "confidence")
LEFT_OUT = "the criticism left out focus areas; these stay open: {areas}"


class ReflectionState(MemoryState, total=False):
    """The state of a reflection: the given answer, the best answer so far, and the rounds.

    `answer_given` holds question, content and id of the text reflected on; `best` the preferred
    content and its confidence; `rounds` the critique, revision and verdict of each round; `stopped`
    why there is no further round. Runs started by an earlier version have no `memories`.
    """

    session: dict[str, Any]
    history: list[dict[str, str]]
    answer_given: dict[str, Any]
    best: dict[str, Any]
    rounds: list[dict[str, Any]]
    stopped: dict[str, str]


async def find_answer(state: ReflectionState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Load the answer to reflect on, and its history.

    Raises:
        SessionNotFound, ThoughtNotFound: unknown, owned by somebody else, or of another session.
    """
    execution = runtime.context
    request = execution.request(ReflectionWithQuestion)
    if request.thought_id is None:
        text = request.content or ""
        question = request.question or ""
        place, history = await session_context(execution, request.session_id, question or text)
        given = {"id": None, "question": question, "content": text}
    else:
        thought = await _thought(execution, request.thought_id, request.session_id)
        place, _ = await session_context(execution, str(thought.session_id), thought.input)
        async with execution.loom.database.begin(execution.caller, searching=True) as tx:
            history = await branch_history(tx, execution, thought.parent_id, thought.input)
        given = {"id": str(thought.id), "question": thought.input, "content": thought.content}
    memories, notes = await _memories_on(execution, given, history.problem)
    return {
        "session": place,
        "history": history.steps,
        "memories": memories,
        "answer_given": given,
        "best": {"content": given["content"], "confidence": None},
        "rounds": [],
        "stopped": {},
        "notes": [*history.notes, *notes],
    }


async def _memories_on(
    execution: Execution, given: dict[str, Any], problem: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the memories relevant to an answer, without the answer itself, and notes."""
    if execution.loom.llm.offline:
        return [], []
    content = given["content"]
    return await recall_for(execution, content, given["question"] or problem, but=content)


async def _thought(execution: Execution, thought_id: str, session_id: str | None) -> ThoughtRow:
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        session = await sessions.require(tx, session_id) if session_id is not None else None
        thought = await thoughts.require(tx, thought_id)
    if session and thought.session_id != session.id:
        raise ThoughtNotFound(thought_id, field="thought_id")
    return thought


async def criticise(state: ReflectionState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Criticise the current answer; without a reply, return open questions instead."""
    execution, rounds = runtime.context, state["rounds"]
    areas = state["request"].get("focus_areas", [])
    content = state["best"]["content"]
    plain = _open_critique(content, areas)
    if execution.loom.llm.offline:
        return {"rounds": [plain], "stopped": {"because": "offline"}}
    informed = await _ask(state, execution, "criticise", "critique", {"content": content})
    heard, added = informed.reply, informed.added
    if heard.parsed is None:
        stopped = _stop_reason(heard)
        known = {} if heard.confidence is None else {"confidence": heard.confidence}
        made = [{**plain, **known, "said": heard.text}] if not rounds else []
        notes = [*heard.notes, *informed.notes]
        return {"rounds": [*rounds, *made], "stopped": stopped, "notes": notes, **added}
    critique, notes = _read(heard.parsed, areas)
    known = state["best"]["confidence"]
    best = {"content": content, "confidence": critique["confidence"] if known is None else known}
    stopped = {} if critique["weaknesses"] else {"because": "no_weakness_found"}
    return {
        "rounds": [*rounds, critique],
        "best": best,
        "stopped": stopped,
        "notes": [*heard.notes, *informed.notes, *notes],
        **added,
    }


def _open_critique(content: str, areas: list[str]) -> dict[str, Any]:
    return {
        "question": open_question(JUDGED, content),
        "strengths": [],
        "weaknesses": [],
        "recommendations": [],
        "findings": [_open_finding(each) for each in areas],
        "confidence": 0.0,
        "by": "none",
    }


def _open_finding(area: str) -> dict[str, str]:
    finding = open_question(HANDLED, area)
    return {"area": area, "finding": finding, "by": "none", "kind": OPEN_QUESTION}


def _read(parsed: dict[str, Any], areas: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Return a critique with one finding per focus area, and a note on areas it omitted."""
    findings_by_area = {each["area"]: each["finding"] for each in parsed["findings"]}
    missing = [area for number, area in enumerate(areas, 1) if number not in findings_by_area]
    findings = [
        {"area": area, "finding": findings_by_area[number], "by": "llm"}
        if number in findings_by_area
        else _open_finding(area)
        for number, area in enumerate(areas, 1)
    ]
    notes = [LEFT_OUT.format(areas=", ".join(missing))] if missing else []
    kept = {name: parsed[name] for name in CRITICISM}
    return {**kept, "findings": findings, "by": "llm"}, notes


async def revise(state: ReflectionState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Revise the answer to remove its weaknesses; the old answer remains a candidate."""
    rounds, content = state["rounds"], state["best"]["content"]
    critique = rounds[-1]
    more = {name: critique[name] for name in ("weaknesses", "recommendations")}
    informed = await _ask(state, runtime.context, "revise", "revise", {"content": content, **more})
    heard = informed.reply
    notes = [*heard.notes, *informed.notes]
    # Text that is not JSON still counts as a revision: the judge compares it with the old answer.
    revision = (heard.parsed or {"revision": heard.text})["revision"]
    if not revision:
        return {"stopped": _stop_reason(heard), "notes": notes, **informed.added}
    stopped = {"because": "nothing_changed"} if _same(revision, content) else {}
    return {
        "rounds": [*rounds[:-1], {**critique, "revision": revision}],
        "stopped": stopped,
        "notes": notes,
        **informed.added,
    }


async def compare(state: ReflectionState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Have a blind judge compare the old answer and the revision, and use the better one."""
    execution, rounds = runtime.context, state["rounds"]
    old, new = state["best"]["content"], rounds[-1]["revision"]
    new_first = is_swapped(str(execution.run.id), len(rounds))
    pair = {"first": new, "second": old} if new_first else {"first": old, "second": new}
    heard = (await _ask(state, execution, "compare", "compare", pair)).reply
    if heard.parsed is None:
        return {"stopped": _stop_reason(heard), "notes": heard.notes}
    verdict = heard.parsed
    place, other = ("first", "second") if new_first else ("second", "first")
    accepted = verdict["better"] == place
    judged = {**rounds[-1], "accepted": accepted, "reason": verdict["reason"]}
    best = {
        "content": new if accepted else old,
        "confidence": verdict[f"{place if accepted else other}_score"],
    }
    return {
        "rounds": [*rounds[:-1], judged],
        "best": best,
        "stopped": _stop_after(
            state, execution.request(ReflectionWithQuestion).max_iterations, accepted=accepted
        ),
        "notes": heard.notes,
    }


def _stop_after(state: ReflectionState, most: int, *, accepted: bool) -> dict[str, str]:
    if not accepted:
        return {"because": "judge_preferred_the_old"}
    done = len(state["rounds"]) >= most
    return {"because": "max_iterations"} if done else {}


def is_swapped(run_id: str, number: int) -> bool:
    """Return whether the judge sees the revision first: random, but stable across replays."""
    return sha256(f"{run_id}|{number}".encode()).digest()[0] % 2 == 1


def is_stopped(state: ReflectionState) -> bool:
    """Return whether there is no further round."""
    return bool(state["stopped"])


async def _ask(
    state: ReflectionState, execution: Execution, node: str, prompt: str, more: dict[str, Any]
) -> Informed[OptionalReply]:
    name = f"reflection/{prompt}"
    number = len(state["rounds"]) + (1 if node == "criticise" else 0)
    declared = execution.loom.prompts.get(name).about.variables
    known = {"memories": state.get("memories", [])} if "memories" in declared else {}
    question = Question(
        node=node,
        prompt=name,
        blind=prompt != "revise",
        variables={
            "question": state["answer_given"]["question"],
            "history": state["history"],
            "focus_areas": state["request"].get("focus_areas", []),
            **known,
            **more,
        },
        pipe=MODE,
        n=number,
        thread=state["session"]["id"] if node != "compare" else None,
    )
    what, given = f"the {prompt} of round {number}", state["answer_given"]["content"]
    if node == "compare":
        return informed_by(await ask_or_note(execution, question, what), [], 0)
    return await ask_informed_or_note(execution, question, what, but=given)


def _stop_reason(heard: OptionalReply) -> dict[str, str]:
    """Return why a round ended without a usable reply."""
    if heard.fault is None:
        return {"because": "unreadable_answer"}
    return {"because": "budget" if isinstance(heard.fault, BudgetExceeded) else "llm_failed"}


def _same(first: str, second: str) -> bool:
    return first.casefold().split() == second.casefold().split()
