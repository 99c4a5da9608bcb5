"""Entry point of `python -m reasonloom`, the command line."""

from reasonloom.cli.app import main

main()
