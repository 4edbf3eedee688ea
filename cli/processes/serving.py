"""What `serve` does: the API behind gunicorn.

Belongs here: which address may be bound. Not here: how it serves (`query_api.gunicorn_settings`). Guarantee: off
loopback it starts only when told that the network is trusted, since there are no keys yet.
"""

import ipaddress
import os
import socket
import sys

from cli.output import note
from headwater.errors import InvalidInputError
from headwater.settings import Settings


def check_host(host: str, *, trusted_network: bool) -> None:
    """Refuse to listen where strangers could ask.

    Raises:
        InvalidInputError: the host is not loopback, and the network was not said to be trusted.
    """
    if not trusted_network and not _is_loopback(host):
        raise InvalidInputError(
            f"--host {host} is reachable from other machines, and the API has no keys yet. Keep 127.0.0.1, or say"
            " --trusted-network if everyone who can reach it may use it."
        )


def check_port(host: str, port: int) -> None:
    """Refuse a port that is taken.

    Raises:
        InvalidInputError: something listens there already, or it may not be bound.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise InvalidInputError(
                f"Port {port} on {host} cannot be used ({error.strerror}). Choose another."
            ) from error


def serve_api(host: str, port: int, *, trusted_network: bool) -> None:
    """Become the API's server; returns only by raising.

    Raises:
        InvalidInputError: the address may not or cannot be bound, or a setting is wrong.
    """
    check_host(host, trusted_network=trusted_network)
    check_port(host, port)
    settings = Settings.from_env()
    if trusted_network:
        if not settings.local_paths:
            note("Sources may read any folder of this machine; HEADWATER_LOCAL_PATHS narrows that.")
        os.environ["HEADWATER_TRUSTED_NETWORK"] = "1"
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    from gunicorn.app.wsgiapp import run

    sys.argv = ["gunicorn", "--config", "python:query_api.gunicorn_settings", "--bind", bind]
    run(prog="gunicorn")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
