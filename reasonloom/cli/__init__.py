"""The commands: serve, demo, call, doctor, db, runs, bench."""
