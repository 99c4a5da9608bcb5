"""Relays stdin and stdout to a socket: what stays of `reasonloom connect` once it is connected.

It is run by a bare interpreter, and imports only small parts of the standard library, since each
agent has one.
"""

import os
import socket
import sys
import threading

CHUNK = 65_536


def relay(connection: socket.socket) -> int:
    """Relay until the server closes; return 0 if that is because stdin ended, else 1."""
    ended = threading.Event()

    def send() -> None:
        try:
            while data := os.read(0, CHUNK):
                connection.sendall(data)
            ended.set()
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the server has gone, which the other direction notices

    threading.Thread(target=send, daemon=True).start()
    try:
        while data := connection.recv(CHUNK):
            while data:
                data = data[os.write(1, data) :]
    except BrokenPipeError:
        return 0  # the host has gone
    except OSError:
        pass
    return 0 if ended.is_set() else 1


if __name__ == "__main__":
    os._exit(relay(socket.socket(fileno=int(sys.argv[1]))))
