"""`python -m tests.support.fuzzing`."""

import sys

from tests.support.fuzzing.command import main

sys.exit(main())
