"""Shares CPU time fairly between owners: an owner over budget runs after the others.

The work of a request is metered step by step, in every task and thread that it starts. A step of
an owner over budget waits for its turn, unless the task holds a database connection that others
may be waiting for.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context, ContextVar
from typing import Any, Protocol, TypeVar

from starlette.types import ASGIApp, Receive, Scope, Send

from reasonloom.server.auth.principal import token_of_scope
from reasonloom.stores.database import connections_held

T = TypeVar("T")
BURST_SECONDS = 0.25
"""CPU seconds that an owner may use in a burst, after a pause."""

QUANTUM = 0.005
"""CPU seconds per turn of an owner over budget."""

MAX_IDLE_OWNERS = 1_000
THREADS = 4


class Budget(Protocol):
    """The budget that metered work spends."""

    def exhausted(self) -> bool:
        """Return whether the budget is used up."""

    def spend(self, seconds: float) -> None:
        """Deduct used CPU time."""

    def charge(self, seconds: float) -> None:
        """Deduct CPU time used elsewhere."""

    def must_wait(self) -> bool:
        """Return whether work must wait for its turn."""

    def wait(self) -> asyncio.Future[None]:
        """Return a future that is done when work over budget may continue."""


class ProcessorBudget:
    """One owner's CPU budget: seconds left, refilled at the owner's share of a CPU.

    With time left, the share is one CPU divided by the busy owners within budget; below zero, it
    is one CPU divided by all busy owners.
    """

    def __init__(self, queue: "WaitingSteps", busy: "BusyOwners") -> None:
        """Store the queue of waiting steps and the owners with requests in flight."""
        self._queue = queue
        self._busy = busy
        self._left = BURST_SECONDS
        self._at = time.monotonic()
        self.requests = 0
        self.granted = 0.0
        self.waiting: deque[asyncio.Future[None]] = deque()

    def exhausted(self) -> bool:
        """Return whether the budget is used up, after refilling it."""
        now = time.monotonic()
        sharing = self._busy.within if self._left > 0 else self._busy.all
        earned = (now - self._at) / max(1, len(sharing))
        self._left = min(BURST_SECONDS, self._left + earned)
        self._at = now
        self._busy.note(self, within=self._left > 0)
        return self._left <= 0

    def must_wait(self) -> bool:
        """Return whether a step must wait for its turn."""
        return self.exhausted() and self.granted <= 0

    def spend(self, seconds: float) -> None:
        """Deduct used CPU time; over budget, also add it to the queue's debt."""
        self.charge(seconds)
        if self._left < 0:
            self.granted -= seconds
            self._queue.debt += seconds

    def charge(self, seconds: float) -> None:
        """Deduct CPU time used in another process, which delayed no step here."""
        self._left -= seconds
        self._busy.note(self, within=self._left > 0)

    def wait(self) -> asyncio.Future[None]:
        """Return a future that is done when it is this owner's turn."""
        return self._queue.add(self)

    @contextmanager
    def request(self) -> Generator[None]:
        """Track a request in flight."""
        self.requests += 1
        self._busy.all.add(self)
        self.exhausted()
        try:
            yield
        finally:
            self.requests -= 1
            if not self.requests:
                self._busy.remove(self)

    def idle(self) -> bool:
        """Return whether this budget is full and unused, so that it can be discarded."""
        return not self.requests and not self.exhausted() and self._left >= BURST_SECONDS


class BusyOwners:
    """The owners with requests in flight, and those of them within budget."""

    def __init__(self) -> None:
        self.all: set[ProcessorBudget] = set()
        self.within: set[ProcessorBudget] = set()

    def note(self, owner: ProcessorBudget, *, within: bool) -> None:
        """Record whether an owner is within budget."""
        if within and owner in self.all:
            self.within.add(owner)
        else:
            self.within.discard(owner)

    def remove(self, owner: ProcessorBudget) -> None:
        """Record that an owner has no more requests in flight."""
        self.all.discard(owner)
        self.within.discard(owner)


class WaitingSteps:
    """Steps of owners over budget, run one at a time, round-robin by owner.

    A turn lasts `QUANTUM`. While owners within budget have requests in flight, the next turn is
    delayed by the time that owners over budget have used since the last one, so that at least
    half a CPU is left for those within budget.
    """

    def __init__(self, busy: BusyOwners) -> None:
        self._busy = busy
        self._owners: deque[ProcessorBudget] = deque()
        self._running = False
        self.debt = 0.0

    def add(self, owner: ProcessorBudget) -> asyncio.Future[None]:
        """Queue a step and return the future of its turn."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        owner.waiting.append(turn)
        if owner not in self._owners:
            self._owners.append(owner)
        if not self._running:
            self._running = True
            loop.call_soon(self._pay, loop)
        return turn

    def _pay(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wait out the debt, then start the next turn."""
        debt, self.debt = self.debt, 0.0
        if debt and self._busy.within:
            loop.call_later(debt, self._pay, loop)
        else:
            self._next(loop)

    def _next(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._owners:
            owner = self._owners.popleft()
            turn = owner.waiting.popleft()
            if owner.waiting:
                self._owners.append(owner)
            if not turn.done():  # its task was cancelled
                owner.granted = QUANTUM
                turn.set_result(None)
                loop.call_soon(self._pay, loop)
                return
        self._running = False


current_budget: ContextVar[Budget | None] = ContextVar("current_budget", default=None)
"""The budget that the current task spends."""


class MeteredCoroutine(Coroutine[Any, Any, T]):
    """A coroutine whose steps spend a budget, and wait for their turn when it is used up."""

    def __init__(self, inner: Coroutine[Any, Any, T], budget: Budget) -> None:
        self._inner = inner
        self._budget = budget
        self._waits = True

    def send(self, value: Any) -> Any:
        """Run a step, or yield a future to wait for."""
        if self._waits and not connections_held.get() and self._budget.must_wait():
            self._waits = False
            turn: Any = self._budget.wait()
            turn._asyncio_future_blocking = True  # how a future signals that it is awaited
            return turn
        self._waits = True
        return self._step(self._inner.send, value)

    def throw(self, *error: Any) -> Any:
        """Run a step that starts with an error immediately: a cancelled task does not wait."""
        self._waits = True
        return self._step(self._inner.throw, *error)

    def _step(self, step: Callable[..., Any], *arguments: Any) -> Any:
        began = time.thread_time()
        try:
            return step(*arguments)
        finally:
            self._budget.spend(time.thread_time() - began)

    def close(self) -> None:
        """Close the coroutine."""
        self._inner.close()

    def __await__(self) -> Generator[Any, Any, T]:
        return self

    def __iter__(self) -> "MeteredCoroutine[T]":
        return self

    def __next__(self) -> Any:
        return self.send(None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)  # `cr_running` and others, which anyio reads


def metered_task(
    loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, T], **more: Any
) -> asyncio.Task[T]:
    """Create a task that spends the budget of its parent; for use as a loop's task factory."""
    context: Context | None = more.get("context")
    budget = context.get(current_budget) if context else current_budget.get()
    if budget is not None:
        coroutine = MeteredCoroutine(coroutine, budget)
    return asyncio.Task(coroutine, loop=loop, **more)


class MeteredThreads(ThreadPoolExecutor):
    """A thread pool whose work spends the budget of the submitting task.

    Owners over budget share one separate thread.
    """

    def __init__(self, threads: int = THREADS) -> None:
        super().__init__(threads, thread_name_prefix="work")
        self._slow = ThreadPoolExecutor(1, thread_name_prefix="slow")

    def submit(self, fn: Callable[..., T], /, *args: Any, **more: Any) -> Future[T]:
        """Submit work to a thread."""
        budget = current_budget.get()
        if budget is None:
            return super().submit(fn, *args, **more)

        def metered() -> T:
            began = time.thread_time()
            try:
                return fn(*args, **more)
            finally:
                budget.spend(time.thread_time() - began)

        return self._slow.submit(metered) if budget.exhausted() else super().submit(metered)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut down all threads."""
        self._slow.shutdown(wait, cancel_futures=cancel_futures)
        super().shutdown(wait, cancel_futures=cancel_futures)


class FairShare:
    """ASGI middleware that charges a request's work to its owner's CPU budget."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._budgets: dict[str, ProcessorBudget] = {}
        self._busy = BusyOwners()
        self._queue = WaitingSteps(self._busy)
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request; one without a token is not metered."""
        token = token_of_scope(scope)
        if token is None:
            await self._app(scope, receive, send)
            return
        self._meter_loop()
        budget = self._budget(str(token.subject))
        current_budget.set(budget)
        with budget.request():
            await MeteredCoroutine(self._run(scope, receive, send), budget)

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    def _meter_loop(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            loop.set_task_factory(metered_task)  # type: ignore[arg-type]
            loop.set_default_executor(MeteredThreads())

    def _budget(self, owner: str) -> ProcessorBudget:
        if len(self._budgets) > MAX_IDLE_OWNERS:
            self._budgets = {name: each for name, each in self._budgets.items() if not each.idle()}
        return self._budgets.setdefault(owner, ProcessorBudget(self._queue, self._busy))
