"""Entry point of `reasonloom` and `python -m reasonloom`, the command line."""

import sys


def main() -> None:
    """Load and run the command line; Ctrl-C at any moment is one line and exit code 130."""
    try:
        from reasonloom.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("reasonloom: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
