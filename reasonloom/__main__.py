"""`python -m reasonloom` is the command line."""

from reasonloom.cli.app import main

main()
