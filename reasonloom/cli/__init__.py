"""The command line: every command of `commands.tsv`."""
