"""The health check of the image: exits 0 while the HTTP server is ready.

A container that serves over stdio listens nowhere: it is healthy as long as it runs.
"""

import os
import sys
from http.client import HTTPConnection, HTTPException

SECONDS = 5
address = os.environ.get("REASONLOOM_HTTP")
if address:
    connection = HTTPConnection("127.0.0.1", int(address.rpartition(":")[2]), timeout=SECONDS)
    try:
        connection.request("GET", "/readyz")
        sys.exit(connection.getresponse().status != 200)  # noqa: PLR2004 - OK
    except (OSError, HTTPException):
        sys.exit(1)
