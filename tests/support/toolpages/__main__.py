"""`python -m tests.support.toolpages`."""

import sys

from tests.support.toolpages.command import main

main(sys.argv[1:])
