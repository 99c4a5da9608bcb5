"""The table of commands says what the commands themselves say, and `--help` loads none of them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.main import get_command

from reasonloom.cli.app import app
from reasonloom.cli.command_tree import LazyGroup, Row, load


def rows(group: LazyGroup) -> list[Row]:
    below = [each for each in group.commands.values() if isinstance(each, LazyGroup)]
    return [*group.rows.values(), *(row for each in below for row in rows(each))]


ROOT = get_command(app)
assert isinstance(ROOT, LazyGroup)
ROWS = rows(ROOT)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.target)
def test_a_command_is_listed_by_the_first_sentence_of_its_own_help(row: Row) -> None:
    paragraph = str(load(row).help).split("\n\n")[0]
    assert " ".join(paragraph.split()) == row.help


def test_help_loads_no_command() -> None:
    program = (
        "import sys; from typer.testing import CliRunner; from reasonloom.cli.app import app;"
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0;"
        "print(*(name for name in sys.modules if name.startswith('reasonloom.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) == {
        "reasonloom.cli", "reasonloom.cli.app", "reasonloom.cli.arguments",
        "reasonloom.cli.command_tree", "reasonloom.errors", "reasonloom.moved",
    }  # fmt: skip
