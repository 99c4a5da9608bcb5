"""The SQL of moving an owner between databases."""

from reasonloom.stores.statements import load

SQL = load(__file__)
