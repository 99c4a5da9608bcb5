"""Python that tests itself is run where that is switched on, and what fails goes back."""

from __future__ import annotations

import socket
import threading

import pytest

from reasonloom.llm.interfaces import Ask, Embedder
from reasonloom.nodes.reasoning.verification.faults import find_faults
from reasonloom.nodes.reasoning.verification.sandbox import (
    SandboxUnavailable,
    find_code_fault,
    run_python,
)
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.answering import AnsweringLlm, ReplyFields, words_of
from tests.support.reasoning.sessions import thinking

RIGHT = "def double(x):\n    return 2 * x\n\nassert double(2) == 4\nassert double(-1) == -2"
WRONG = RIGHT.replace("2 * x", "x * x")
FAILS = "the Python fails when it is run: AssertionError at `assert double(-1) == -2`"


def fenced(code: str, language: str = "python") -> str:
    return f"This doubles a number:\n\n```{language}\n{code}\n```\n\nIt is short."


@pytest.fixture(autouse=True)
def sandbox() -> None:
    try:
        run_python("")
    except SandboxUnavailable as why:
        pytest.skip(f"code cannot be run here: {why}")


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (fenced(RIGHT), ""),
        (fenced(WRONG), FAILS),
        (fenced(WRONG, "py"), FAILS),
        (fenced(WRONG, "text"), ""),
        (WRONG, ""),
        (fenced("def f(:\n    pass\nassert f"), "the Python fails when it is run: SyntaxError"),
        (fenced("assert g(1) == 1"), "NameError: name 'g' is not defined at `assert g(1) == 1`"),
        (fenced("import numpy\nassert numpy.add(1, 1) == 3"), ""),
        (fenced("open('data.csv')\nassert False"), ""),
        (fenced("x = input()\nassert x"), ""),
        (fenced("def f(x):\n    return x + 1"), ""),
        (fenced("while True: pass\nassert True"), ""),
        (fenced("kept = [0] * 10**10\nassert kept"), ""),
        (fenced("assert 9**9**9 > 1"), ""),
        (fenced("    def f(x):\n        return x\n    assert f(1) == 2"), "AssertionError"),
        (fenced("def f(x):\n    return x") + fenced("assert f(1) == 2"), "AssertionError"),
        (fenced("# assert x\n" * 3_000), ""),
        (fenced("assert True\n" * 3_000), ""),
    ],
)
def test_only_what_fails_by_itself_is_a_fault(answer: str, fault: str) -> None:
    found = find_code_fault(answer)
    assert fault in found
    assert bool(found) is bool(fault)


@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/passwd')",
        "open('/tmp/left', 'w')",
        "import os; os.remove('/tmp/left')",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.fork()",
        "import ctypes; ctypes.CDLL(None)",
        "import gc; gc.get_objects()",
    ],
)
def test_files_processes_and_libraries_are_refused(code: str) -> None:
    assert run_python(code).kind == "PermissionError"


def test_the_network_is_out_of_reach_though_the_hook_is_passed() -> None:
    heard = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(3)

        def listen() -> None:
            try:
                server.accept()[0].close()
            except TimeoutError:
                return
            heard.set()

        listener = threading.Thread(target=listen)
        listener.start()
        address = ("127.0.0.1", server.getsockname()[1])
        ran = run_python(f"import _socket\n_socket.socket().connect({address})")
        listener.join()
    assert ran.error
    assert not heard.is_set()


async def test_nothing_is_run_where_it_is_not_switched_on() -> None:
    assert not await find_faults(fenced(WRONG), [], [])
    assert (await find_faults(fenced(WRONG), [], [], execute=True)).code == FAILS


@pytest.mark.parametrize(("execute", "asked"), [("on", 2), ("off", 1)])
async def test_code_that_fails_is_given_back_once(
    access: Access, embedder: Embedder, execute: str, asked: int
) -> None:
    def answer(ask: Ask) -> ReplyFields:
        code = RIGHT if ask.material["failed"] else WRONG
        return {"thought": fenced(code), "confidence": 0.8}

    llm = AnsweringLlm(thought=answer)
    async with thinking(access, embedder, llm, execute=execute) as mind:
        outcome = await call(mind, "reasoning_linear", {"content": "How do I double a number?"})
    assert llm.counts == {"thought": asked}
    assert (outcome.answer["content"] == fenced(RIGHT)) is (execute == "on")
    invited = "Python in your answer is run" in words_of(llm.asked["thought"][0])
    assert invited is (execute == "on")


async def test_code_that_still_fails_is_noted(access: Access, embedder: Embedder) -> None:
    llm = AnsweringLlm(thought={"thought": fenced(WRONG), "confidence": 0.8})
    async with thinking(access, embedder, llm, execute="on") as mind:
        outcome = await call(mind, "reasoning_linear", {"content": "How do I double a number?"})
    assert f"the answer's code fails a check: {FAILS}" in outcome.notes
