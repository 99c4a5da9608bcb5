"""`python -m tests.support.killing`."""

import sys

from tests.support.killing.command import main

sys.exit(main(sys.argv[1:]))
