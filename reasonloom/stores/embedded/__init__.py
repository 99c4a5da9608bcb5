"""The Postgres that comes inside a wheel, so that reasonloom needs no server of one's own.

    server.py      EmbeddedServer: what the rest of reasonloom calls
    place.py       where the data, the sockets and the lock may lie, and whose they must be
    postmaster.py  what runs on a data folder: its processes, its pid file, its answer
    boot.py        the short-lived child that alone imports the bundled library

Nothing is imported here, so that the child starts light.
"""
