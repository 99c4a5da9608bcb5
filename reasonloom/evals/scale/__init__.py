"""How many machines, how much Postgres: a simulation fed by measured costs, and its check."""
