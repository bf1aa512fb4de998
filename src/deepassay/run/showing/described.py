"""What is known of the protocols of a run."""

from __future__ import annotations

from deepassay.runfile import RunFile
from deepassay.score import Metric


def metrics_of(run: RunFile) -> dict[str, Metric]:
    """What is known of every protocol of a run: what its file says, else what is installed.

    Of one that neither knows there is only the name.
    """
    kept = run.metrics()
    return {name: kept.get(name) or _installed(name) for name in run.protocols()}


def _installed(name: str) -> Metric:
    from deepassay.protocols.registry import installed  # files of today describe their protocols

    protocol = installed(name)
    return protocol.describe() if protocol else Metric(name)
