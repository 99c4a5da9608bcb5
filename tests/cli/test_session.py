"""`reasonloom session`: what a person sees of a session."""

from __future__ import annotations

import json

from tests.cli.test_commands import FACT, Run, run

__all__ = ["run"]


def call_reasoning(run: Run, tool: str, **arguments: str) -> dict[str, str]:
    done = run("call", f"reasoning_{tool}", json.dumps(arguments))
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, str] = json.loads(done.stdout)
    return answer


def test_a_session_is_drawn_as_a_tree(run: Run) -> None:
    fact = {**FACT, "content": "The [bold]tea[/bold]\x1b[31m is green."}
    assert run("call", "remember", json.dumps(fact)).returncode == 0
    first = call_reasoning(run, "linear", content="What of the tea?")
    session = first["session_id"]
    point = call_reasoning(run, "checkpoint_create", session_id=session, name="[red]early")
    call_reasoning(run, "linear", content="And what of coffee, or tea?", session_id=session)
    back = call_reasoning(run, "backtrack", checkpoint_id=point["id"])
    listed = run("session", "list").stdout
    assert session in listed
    row, _ = map(json.loads, run("session", "list", "--json").stdout.splitlines())
    assert (row["id"], row["active_branch_id"]) == (session, back["branch_id"])
    drawn = run("session", "show", session).stdout
    title, _, root, one, new, two = drawn.splitlines()
    assert f"session {session}  linear, 2 thoughts, 2 branches, 1 checkpoint" in title
    assert f"○ main  active, 0.10  {session}" in root
    assert "1  0.10  “The [bold]tea[/bold] [31m is green.” (mem-1) On" in one
    assert one.endswith("⚑ [red]early")
    assert f"● from [red]early  active, 0.10  {back['branch_id']}  no thought of its own" in new
    assert new.index("●") > root.index("○")
    assert "2  0.10  “The [bold]tea[/bold] [31m is green.” (mem-1) On" in two
    assert two.endswith("◀")
    assert "\x1b" not in drawn
    whole = json.loads(run("session", "show", session, "--json").stdout)
    assert [len(whole[name]) for name in ("branches", "thoughts", "checkpoints")] == [2, 2, 1]


def test_an_unknown_session_is_one_line_and_exit_two(run: Run) -> None:
    done = run("session", "show", "nonsense")
    assert (done.returncode, done.stderr) == (2, "reasonloom: Session not found: nonsense\n")
