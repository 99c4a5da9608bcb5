"""Tests that change, kill or dump a whole database have a fresh one each."""

from tests.support.databases.postgres import own_database

__all__ = ["own_database"]
