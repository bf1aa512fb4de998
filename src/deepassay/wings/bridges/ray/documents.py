"""Documents converted on the nodes: bytes go out, Markdown comes back, or what is wrong with them.

A conversion costs nothing and gives the same again, so that it is a task of Ray's, which carries
it out anew on another node when one is lost; cases are not, see `actor.py`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Final

from deepassay import __version__
from deepassay.errors import BadReports, BadSetting, DeepAssayError
from deepassay.reports.documents.convert import (
    Converted,
    convert_document,
    converter_of,
    document_kind,
    refuse_untried,
)
from deepassay.score import Json

ROOM: Final = 0.5
"""Processors of a conversion: of one with workers on it, which wait, less than a whole is left."""

PATIENCE: Final = 600.0
"""Seconds for one document, of which it is at work for 120 at most: a busy cluster begins late."""


class RemoteConverter:
    """Has the nodes convert documents. It may be called from several threads.

    ray: gives the library, connected. workers: how many conversions at a time; None for one a
    processor of the cluster.
    """

    def __init__(self, ray: Callable[[], ModuleType], workers: int | None) -> None:
        self._connect = ray
        self._workers = workers

    @cached_property
    def _ray(self) -> ModuleType:
        return self._connect()

    @property
    def abreast(self) -> int:
        """How many documents can be converted at a time on the cluster."""
        return self._workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def convert(self, path: Path, body: bytes) -> Converted:
        """The Markdown of a document. Raises what `reports.documents.convert` raises, in its words.

        BadSetting where a node cannot convert, or would do so otherwise than this machine.
        """
        from ray.exceptions import RayError

        refuse_untried(path, body)
        task = self._ray.remote(num_cpus=ROOM, scheduling_strategy="SPREAD")(converted_here)
        try:
            reply = self._ray.get(task.remote(str(path), body), timeout=PATIENCE)
        except RayError as error:
            raise BadSetting(
                f"{path}: the cluster did not convert it: {last_line(error)}",
                f"Every node needs deepassay[ray,docs] {__version__} and half a processor free: "
                "see `deepassay doctor --engine ray` and `ray status`.",
            ) from error
        agreed(reply["host"], reply)
        if "problem" in reply:
            raise BadReports(reply["problem"], reply["remedy"])
        if reply["by"] != (ours := converter_of(document_kind(path))):
            raise BadSetting(
                f"{path} would be converted by {reply['by']} on {reply['host']}, and by {ours} "
                "here.",
                "Install the same packages on every node.",
            )
        return Converted(reply["text"], reply["by"])


def converted_here(path: str, body: bytes) -> dict[str, Json]:
    """Runs on a node, which does not have the file: its path is for what is said of it."""
    about = {"version": __version__, "host": socket.gethostname()}
    try:
        return about | convert_document(Path(path), body)._asdict()
    except BadReports as error:
        return about | {"problem": error.problem, "remedy": error.remedy}
    except DeepAssayError as error:
        return about | {"refused": [error.problem, error.remedy]}


def agreed(name: str, reply: Json) -> None:
    """Raise BadSetting where a node or worker has another version, or says that it cannot."""
    if (version := reply["version"]) != __version__:
        raise BadSetting(
            f"DeepAssay is {version} on {name}, and {__version__} here.",
            "Install the same version on every node.",
        )
    if (refused := reply.get("refused")) is not None:
        raise BadSetting(f"On {name}: {refused[0]}", refused[1])


def last_line(error: BaseException) -> str:
    """The last line that an error of Ray's says: before it stands where it was raised."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
