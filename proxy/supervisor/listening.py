"""The live door's listening socket: made here, or handed over by whoever started us (systemd's socket activation).

It belongs to the supervisor, so that clients wait in it while the door's process is started again.
"""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping

from proxy.model.errors import CannotWriteError, UsageError

FIRST_FD = 3
"""Handed-over sockets begin there (`sd_listen_fds(3)`)."""
BACKLOG = 1024
_VARIABLES = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


def listen(host: str, port: int) -> socket.socket:
    """A socket of our own.

    Raises:
        CannotWriteError: the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise CannotWriteError(f"{host}:{port}: cannot listen: {reason}") from None


def handed_over(environment: MutableMapping[str, str]) -> socket.socket | None:
    """The listening socket that this process was started with; None when there is none.

    The variables that say so are removed: they are not meant for our children.

    Raises:
        UsageError: there is more than one, or it is no TCP socket that listens.
    """
    told = [environment.pop(name, "") for name in _VARIABLES]
    if told[0] != str(os.getpid()) or not told[1].isdecimal() or told[1] == "0":
        return None
    if told[1] != "1":
        raise UsageError(f"LISTEN_FDS={told[1]}: expected one socket, the live door's; admin.listen is bound by us")
    os.set_inheritable(FIRST_FD, False)  # noqa: FBT003  the standard library's own signature
    try:
        found = socket.socket(fileno=FIRST_FD)
        is_listening = found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) == 1
    except OSError as error:
        raise UsageError(f"LISTEN_FDS=1: descriptor {FIRST_FD}: {(error.strerror or 'no socket').lower()}") from None
    if not is_listening or found.family not in (socket.AF_INET, socket.AF_INET6) or found.type != socket.SOCK_STREAM:
        found.close()
        raise UsageError(f"LISTEN_FDS=1: descriptor {FIRST_FD} is no TCP socket that listens (ListenStream=HOST:PORT)")
    return found


def url_of(listening: socket.socket) -> str:
    """Where clients find it."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
