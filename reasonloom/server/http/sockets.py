"""Binds a server's address before anything else is opened, so that errors surface early."""

import errno
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from reasonloom.errors import SettingMistake

BACKLOG = 2048
"""The backlog of pending connections, the same as uvicorn's."""

Address = tuple[str | int | bytes, ...]
"""The argument of `bind`: host and port, with two more numbers for IPv6."""

ABSENT_ADDRESS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
BIND_ERRORS = {
    errno.EADDRINUSE: "is in use: choose another port, or stop what listens there",
    errno.EADDRNOTAVAIL: "is not an address of this machine",
    errno.EACCES: "needs privileges that this user lacks: choose a port of 1024 or more",
}


@contextmanager
def listening_sockets(host: str, port: int) -> Iterator[list[socket.socket]]:
    """Yield a listening socket for each address of `host`; all are closed on exit.

    A name such as localhost may have several addresses: those that the machine does not have are
    skipped as long as one remains.

    Raises:
        SettingMistake: the address cannot be bound; the message says why.
    """
    with ExitStack() as stack:
        taken: list[socket.socket] = []
        fault: OSError | None = None
        for family, address in _addresses(host, port):
            try:
                taken.append(stack.enter_context(_bind(family, address)))
            except OSError as error:
                if error.errno not in ABSENT_ADDRESS:
                    raise _refused(host, port, error) from None
                fault = error
        if fault and not taken:
            raise _refused(host, port, fault)
        yield taken


def _addresses(host: str, port: int) -> list[tuple[int, Address]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise SettingMistake(f"--http: the host {host} is unknown", field="--http") from None
    return list(dict.fromkeys((family, address) for family, _, _, _, address in found))


def _bind(family: int, address: Address) -> socket.socket:
    # asyncio sets TCP_NODELAY only on sockets created with an explicit protocol.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
        made.listen(BACKLOG)
    except OSError:
        made.close()
        raise
    return made


def _refused(host: str, port: int, error: OSError) -> SettingMistake:
    name = f"[{host}]" if ":" in host else host
    reason = BIND_ERRORS.get(error.errno or 0, f"cannot be listened on: {error.strerror}")
    return SettingMistake(f"--http: {name}:{port} {reason}", field="--http")
