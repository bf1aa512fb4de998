"""The cluster: joining it, starting workers on it, and keeping what Ray prints to itself."""

from __future__ import annotations

import io
import logging
import os
import secrets
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from deepassay.errors import BadSetting, DeepAssayError, MissingExtra

if TYPE_CHECKING:
    from types import ModuleType

OBJECT_STORE: Final = 100_000_000
"""Bytes of shared memory of a cluster that we start: nothing of ours lies there for long."""

KNOCK: Final = 10.0
"""Seconds for a host to take a connection."""

STDERR: Final = 2
"""The descriptor of standard error."""

TOKEN: Final = "RAY_AUTH_TOKEN"
TOKEN_FILE: Final = "RAY_AUTH_TOKEN_PATH"
MODE: Final = "RAY_AUTH_MODE"
_SET: Final = (
    f"Set {MODE}=token and {TOKEN} (or {TOKEN_FILE}) to the cluster's: all nodes and this process "
    "need the same."
)


def library() -> ModuleType:
    """Ray itself, told first to send nobody any statistics. Raises MissingExtra."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # A head that is told so sends word of that all the same, unless it is sent astray.
    os.environ.setdefault("RAY_USAGE_STATS_REPORT_URL", "http://127.0.0.1:9")
    try:
        import ray
    except ImportError:
        raise MissingExtra("--engine ray", "ray") from None
    return ray


@contextmanager
def joined_cluster(
    address: str | None, temp_dir: Path | None, noise: IO[str]
) -> Iterator[ModuleType]:
    """Ray, connected to a cluster; a connection that the caller has already is used.

    address: HOST:PORT, auto, or local to start a cluster that ends with the context. temp_dir:
    where that keeps its logs. noise: for what it prints. Raises BadSetting, MissingExtra.
    """
    if address is None and "ray" not in sys.modules:
        raise _no_address()
    if address == "local" and MODE not in os.environ:
        # Whoever reaches a port of a cluster runs code on it; and a token that nobody else needs
        # has no business on the disk.
        os.environ[MODE] = "token"
        os.environ.setdefault(TOKEN, secrets.token_hex(32))
    ray = library()
    if ray.is_initialized():
        yield ray
        return
    if address is None:
        raise _no_address()
    _knock(address)
    quiet = Path(noise.name).stat().st_size
    own: dict[str, Any] = {"include_dashboard": False, "object_store_memory": OBJECT_STORE}
    if temp_dir is not None:
        own["_temp_dir"] = str(temp_dir.resolve())
    try:
        with redirect_stdout(noise), redirect_stderr(noise):
            ray.init(
                address=address,
                namespace="deepassay",
                log_to_driver=False,
                logging_level=logging.ERROR,
                **(own if address == "local" else {}),
            )
    except Exception as error:  # Ray has many, of several kinds
        said = Path(noise.name).read_bytes()[quiet:]
        raise _unreachable(address, error, refused=b"InvalidAuthToken" in said) from error
    try:
        yield ray
    finally:
        with redirect_stdout(noise), redirect_stderr(noise):
            ray.shutdown()  # our connection, or our own cluster: `ray stop` ends everybody's


def _no_address() -> BadSetting:
    return BadSetting(
        "--engine ray needs the --address of a cluster.",
        "Give HOST:PORT, auto for the one that this machine belongs to, or local to start one.",
    )


def _knock(address: str) -> None:
    """Raise BadSetting where nobody listens: Ray tries it for minutes."""
    host, colon, port = address.rpartition(":")
    if not (colon and port.isdigit()):
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), KNOCK).close()
    except (OSError, OverflowError) as error:
        raise BadSetting(
            f"Nobody answers at {address}: {error}.",
            "Start a cluster there with `ray start --head`, or check --address.",
        ) from None


def _unreachable(address: str, error: Exception, *, refused: bool) -> DeepAssayError:
    """What joining a cluster failed of, in words. refused: whether its log told of the token."""
    said = " ".join(str(error).split())[:300]
    kind = type(error).__name__
    if "Version mismatch" in said:
        return BadSetting(
            f"The cluster at {address} has another version of Ray or Python: {said}",
            "Install the same versions on every node and here.",
        )
    if kind == "AuthenticationError" or "token" in said.lower():
        return BadSetting(
            f"The cluster at {address} lets nobody in without its token.",
            _SET,
        )
    if refused:
        return BadSetting(f"The cluster at {address} refuses the token that it was given.", _SET)
    if kind == "ConnectionError":
        return BadSetting(
            f"No cluster answers at {address}.",
            "Start one with `ray start --head`, or check --address.",
        )
    return BadSetting(f"The cluster at {address} cannot be joined: {kind}: {said}", "Check it.")


@dataclass(frozen=True)
class Node:
    """A node of the cluster. id: Ray's name of it. host: for people; two may have one address."""

    id: str
    host: str


def nodes(ray: ModuleType) -> list[Node]:
    """The nodes of the cluster that are up, with what they have."""
    return [
        Node(
            each["NodeID"],
            f"{each['NodeManagerHostname']} ({each['NodeManagerAddress']}, {each['NodeID'][:8]})",
        )
        for each in ray.nodes()
        if each["Alive"]
    ]


class _DivertedStream(io.TextIOBase):
    """A stream that what the threads of Ray print goes to a file instead."""

    def __init__(self, stream: IO[str], file: IO[str]) -> None:
        self._stream = stream
        self._file = file

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of the stream that it stands for
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write to the one or the other."""
        ours = not threading.current_thread().name.startswith("ray_")
        return (self._stream if ours else self._file).write(text)


@contextmanager
def noise_into(path: Path) -> Iterator[IO[str]]:
    """What Ray prints in this process goes to the end of a file, not between what we say.

    Its threads print to our streams, its library in C++ to the descriptor of standard error, and
    its logger to where it was told.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    before = sys.stdout, sys.stderr
    logger = logging.getLogger("ray")
    others, propagated = logger.handlers[:], logger.propagate
    with path.open("a", encoding="utf-8", buffering=1) as file, _apart(file) as stderr:
        logger.handlers, logger.propagate = [logging.StreamHandler(file)], False
        sys.stdout, sys.stderr = _DivertedStream(sys.stdout, file), _DivertedStream(stderr, file)
        try:
            yield file
        finally:
            sys.stdout, sys.stderr = before
            logger.handlers, logger.propagate = others, propagated
            if not path.stat().st_size:
                path.unlink()


@contextmanager
def _apart(file: IO[str]) -> Iterator[IO[str]]:
    """The descriptor of standard error leads to a file; gives the stream to where it led before."""
    ours = sys.stderr
    sys.stderr.flush()
    kept = os.dup(STDERR)
    os.dup2(file.fileno(), STDERR)
    try:
        if not _leads_there(ours):
            yield ours
        else:
            encoding = ours.encoding
            with open(kept, "w", 1, encoding, "backslashreplace", closefd=False) as stream:
                yield stream
    finally:
        os.dup2(kept, STDERR)
        os.close(kept)


def _leads_there(stream: IO[str]) -> bool:
    """Whether a stream writes to the descriptor of standard error, and not a stand-in of it."""
    try:
        return stream.fileno() == STDERR
    except (OSError, ValueError, AttributeError):
        return False
