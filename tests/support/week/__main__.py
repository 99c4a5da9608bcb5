"""`python -m tests.support.week`: work through the week, and print what it came to."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from tests.support.week.machine import machine
from tests.support.week.report import report
from tests.support.week.working import work


def main() -> int:
    """Run the week; exit with 1 if fewer than eighteen questions were answered."""
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python -m tests.support.week FOLDER (new, not below /tmp)\n")
        return 2
    folder = Path(sys.argv[1])
    with machine(folder) as host:
        begun = time.monotonic()
        week = asyncio.run(work(host))
        report(week)
        print(f"{time.monotonic() - begun:.0f} s")
    return 0 if week.score >= 18 else 1


if __name__ == "__main__":
    sys.exit(main())
