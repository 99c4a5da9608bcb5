"""Ends a process that has served without Python's own teardown, which takes seconds when busy."""

from __future__ import annotations

import atexit
import logging
import os
import sys


class LastStep:
    """The last of what runs at the end of a process, when it was made before all else.

    Python then frees module by module what is loaded, with nobody waiting for it but whoever
    asked the server to end. What must be written is written by the steps that ran before.
    """

    def __init__(self) -> None:
        self.served = False
        atexit.register(self._end)

    def _end(self) -> None:
        """End the process if it served as it should; else Python tells what went wrong."""
        if not self.served:
            return
        logging.shutdown()
        sys.stdout.flush()
        os._exit(0)
