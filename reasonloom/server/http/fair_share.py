"""Shares the processor between owners: whoever has used up a budget goes on after the others.

The work of a request is metered step by step, in every task that it starts and in every thread. A
step of an owner beyond the budget waits for its turn, unless the task has a connection to the
database, for which others may wait.
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
"""Processor time that an owner may use at once, after a pause."""

QUANTUM = 0.005
"""Processor time in which an owner beyond the budget goes on when it is that owner's turn."""

MAX_IDLE_OWNERS = 1_000
THREADS = 4


class Budget(Protocol):
    """What metered work spends."""

    def exhausted(self) -> bool:
        """Return whether nothing is left at this moment."""

    def spend(self, seconds: float) -> None:
        """Take processor time that was used."""

    def charge(self, seconds: float) -> None:
        """Take processor time that was used elsewhere."""

    def must_wait(self) -> bool:
        """Return whether work must wait for its turn."""

    def wait(self) -> asyncio.Future[None]:
        """Return a future that is done when work that is beyond the budget may go on."""


class ProcessorBudget:
    """One owner's processor time: seconds left, refilled at the owner's share of a processor.

    Owners within their budgets share what the others do not use: those have equal shares of a
    processor, and get back below zero only as much.
    """

    def __init__(self, queue: "WaitingSteps", busy: "BusyOwners") -> None:
        """Wait in `queue`; `busy` are the owners with requests in flight, this one among them."""
        self._queue = queue
        self._busy = busy
        self._left = BURST_SECONDS
        self._at = time.monotonic()
        self.requests = 0
        self.granted = 0.0
        self.waiting: deque[asyncio.Future[None]] = deque()

    def exhausted(self) -> bool:
        """Return whether nothing is left at this moment."""
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
        """Take processor time that was used."""
        self.charge(seconds)
        if self._left < 0:
            self.granted -= seconds
            self._queue.debt += seconds

    def charge(self, seconds: float) -> None:
        """Take processor time that was used elsewhere, for which nobody here has waited."""
        self._left -= seconds
        self._busy.note(self, within=self._left > 0)

    def wait(self) -> asyncio.Future[None]:
        """Return a future that is done when it is this owner's turn."""
        return self._queue.add(self)

    @contextmanager
    def request(self) -> Generator[None]:
        """Count a request in flight."""
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
        """Return whether nothing would be lost by forgetting this owner."""
        return not self.requests and not self.exhausted() and self._left >= BURST_SECONDS


class BusyOwners:
    """The owners with requests in flight, and those of them that are within their budgets."""

    def __init__(self) -> None:
        self.all: set[ProcessorBudget] = set()
        self.within: set[ProcessorBudget] = set()

    def note(self, owner: ProcessorBudget, *, within: bool) -> None:
        """Record whether an owner is within the budget."""
        if within and owner in self.all:
            self.within.add(owner)
        else:
            self.within.discard(owner)

    def remove(self, owner: ProcessorBudget) -> None:
        """Record that an owner has no request in flight any more."""
        self.all.discard(owner)
        self.within.discard(owner)


class WaitingSteps:
    """Steps of owners beyond their budget: one by one, the owners in turn.

    Whose turn it is may go on for `QUANTUM`. While owners within their budgets have requests in
    flight, as much time passes before the next turn as all the others have used since the one
    before, so that at least half of a processor is for those within.
    """

    def __init__(self, busy: BusyOwners) -> None:
        self._busy = busy
        self._owners: deque[ProcessorBudget] = deque()
        self._running = False
        self.debt = 0.0

    def add(self, owner: ProcessorBudget) -> asyncio.Future[None]:
        """Return the turn of a step."""
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
        """Let time pass for what was used meanwhile."""
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
    """A coroutine whose steps spend a budget, and wait for their turn when there is none left."""

    def __init__(self, inner: Coroutine[Any, Any, T], budget: Budget) -> None:
        self._inner = inner
        self._budget = budget
        self._waits = True

    def send(self, value: Any) -> Any:
        """Run a step, or yield the future to wait for."""
        if self._waits and not connections_held.get() and self._budget.must_wait():
            self._waits = False
            turn: Any = self._budget.wait()
            turn._asyncio_future_blocking = True  # as a future says that it is awaited
            return turn
        self._waits = True
        return self._step(self._inner.send, value)

    def throw(self, *error: Any) -> Any:
        """Run a step that begins with an error, at once: a cancelled task does not wait."""
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
        return getattr(self._inner, name)  # cr_running and the like, which anyio reads


def metered_task(
    loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, T], **more: Any
) -> asyncio.Task[T]:
    """Make a task that spends the budget of the task that starts it: a loop's task factory."""
    context: Context | None = more.get("context")
    budget = context.get(current_budget) if context else current_budget.get()
    if budget is not None:
        coroutine = MeteredCoroutine(coroutine, budget)
    return asyncio.Task(coroutine, loop=loop, **more)


class MeteredThreads(ThreadPoolExecutor):
    """Threads whose work spends the budget of whoever starts it.

    Owners beyond their budget share one thread of their own.
    """

    def __init__(self, threads: int = THREADS) -> None:
        super().__init__(threads, thread_name_prefix="work")
        self._slow = ThreadPoolExecutor(1, thread_name_prefix="slow")

    def submit(self, fn: Callable[..., T], /, *args: Any, **more: Any) -> Future[T]:
        """Start work in a thread."""
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
        """End all threads."""
        self._slow.shutdown(wait, cancel_futures=cancel_futures)
        super().shutdown(wait, cancel_futures=cancel_futures)


class FairShare:
    """ASGI middleware: what a request of an owner does spends the owner's processor time."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._budgets: dict[str, ProcessorBudget] = {}
        self._busy = BusyOwners()
        self._queue = WaitingSteps(self._busy)
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; one without a token is not metered."""
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
