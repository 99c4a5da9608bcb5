"""Runs the `reasonloom` command line, whose server also has the suite's fixtures."""

from __future__ import annotations

from reasonloom.cli.app import main
from reasonloom.server import app
from tests.support.conformance_server.server import build_conformance_server

app.build_server = build_conformance_server
main()
