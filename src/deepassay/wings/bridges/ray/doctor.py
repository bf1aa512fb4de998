"""`doctor --engine ray`: whether the nodes of a cluster carry out cases as this machine does."""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Iterator
from types import ModuleType
from typing import Final

from deepassay import __version__
from deepassay.errors import DeepAssayError
from deepassay.models.endpoints import PROVIDERS
from deepassay.protocols.registry import parse_protocols
from deepassay.reports.documents.convert import NEEDED, can_convert, converter_of
from deepassay.run.asking.doctor import Check
from deepassay.run.settings import Settings
from deepassay.score import Json, digest
from deepassay.wings.bridges.ray.actor import OPTIONS
from deepassay.wings.bridges.ray.cluster import MODE, TOKEN, Node, joined_cluster, nodes, noise_into
from deepassay.wings.bridges.ray.documents import last_line
from deepassay.wings.bridges.ray.engine import log_of

START: Final = 120.0
"""Seconds for a node to answer."""

_SAME: Final = "DeepAssay", "Python", "prompts", "documents"
"""What of a node has to be as it is here."""


def examine_cluster(settings: Settings) -> Iterator[Check]:
    """Join the cluster, and have every node say what it has."""
    try:
        with (
            noise_into(log_of(settings.run)) as noise,
            joined_cluster(settings.address, settings.ray_temp_dir, noise) as ray,
        ):
            yield _guarded()
            for node, found in zip(there := nodes(ray), _asked(ray, there), strict=True):
                yield _of_node(node, found)
    except DeepAssayError as error:
        yield Check("ray", False, str(error))


def _guarded() -> Check:
    open_ports = "its services listen on all interfaces of every node"
    if os.environ.get(MODE, "").lower() != "token":
        return Check(
            "ray",
            False,
            f"{open_ports} and ask for no token: whoever reaches a port runs code there. Set "
            f"{MODE}=token and {TOKEN} on all nodes and here, and start it anew",
        )
    return Check(
        "ray",
        True,
        f"{open_ports} and ask for a token; nothing is encrypted, so keep it to a private network",
    )


def _asked(ray: ModuleType, there: list[Node]) -> list[Json]:
    """What each node says of itself, or the reason why it says nothing."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    task = ray.remote(num_cpus=OPTIONS["num_cpus"], max_retries=0)(about_here)
    asked = [
        task.options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(each.id, soft=False)
        ).remote()
        for each in there
    ]

    async def answers() -> list[Json]:
        waiting = (asyncio.wait_for(asyncio.wrap_future(each.future()), START) for each in asked)
        return await asyncio.gather(*waiting, return_exceptions=True)

    return asyncio.run(answers())


def about_here() -> dict[str, Json]:
    """What a node has. Of keys only the names of the variables that hold them."""
    names = {name for each in PROVIDERS.values() for name in each.keys}
    return {
        "DeepAssay": __version__,
        "Python": platform.python_version(),
        "documents": ", ".join(
            converter_of(kind) for kind in ("html", *NEEDED) if can_convert(kind)
        ),
        "prompts": digest(
            [
                operation.digest(language)
                for protocol in parse_protocols(["all"])
                for operation in protocol.operations()
                for language in ("en", "zh")
            ]
        )[:12],
        "keys": sorted(name for name in names if os.environ.get(name, "").strip()),
    }


def _of_node(node: Node, found: Json) -> Check:
    where = f"ray node {node.host}"
    if isinstance(found, BaseException):
        return Check(
            where,
            False,
            f"cannot carry out cases: {last_line(found)}. Install deepassay[ray] {__version__} "
            "there under the Python that runs here",
        )
    ours = about_here()
    told = ", ".join(f"{name} {found[name]}" for name in _SAME)
    parts = [name for name in _SAME if found[name] != ours[name]]
    keys = ", ".join(found["keys"]) or "none"
    if not parts:
        return Check(where, True, f"{told}; keys set: {keys}")
    wanted = ", ".join(f"{name} {ours[name]}" for name in parts)
    return Check(where, False, f"{told}; here it is {wanted}: install the same there")
