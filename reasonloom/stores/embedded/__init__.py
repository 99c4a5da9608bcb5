"""The Postgres bundled in a wheel, so that reasonloom needs no separate database server.

    server.py      EmbeddedServer: what the rest of reasonloom calls
    place.py       location and ownership of the data, the sockets and the lock
    postmaster.py  the server on a data folder: its processes, pid file and response
    watchdog.py    the process that stops an idle server
    boot.py        the short-lived child, the only process that imports the bundled library

Nothing is imported here, so that the child starts fast.
"""
