"""A suite of one's own: a Python file that defines `SUITE`."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path

from reasonloom.errors import CallerMistake, InvalidArgument
from reasonloom.evals.core.suite import Suite

NAME = "SUITE"


def python_file(path: Path) -> Suite:
    """Return the `SUITE` of a file, which is run as any Python file is.

    Raises:
        InvalidArgument: there is no such file, it cannot be run, or defines no suite.
    """
    spec = importlib.util.spec_from_file_location(f"reasonloom_suite_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InvalidArgument(f"suite: {path.name}: there is no such file", field="suite")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    try:
        spec.loader.exec_module(module)
    except CallerMistake:
        raise
    except Exception as error:  # noqa: BLE001  # a user's file can raise anything
        line = traceback.extract_tb(error.__traceback__)[-1].lineno
        raise InvalidArgument(
            f"suite: {path.name}: cannot be run: {type(error).__name__}: {error} (line {line})",
            field="suite",
        ) from None
    suite = getattr(module, NAME, None)
    if not isinstance(suite, Suite):
        raise InvalidArgument(
            f"suite: {path.name}: must define {NAME} = Suite(...), as docs/evals.md shows",
            field="suite",
        )
    return suite
