"""A cluster of two nodes on this machine, which the tests of a module are connected to."""

from __future__ import annotations

import importlib.util
import logging
import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.loopback import FakeJudge
from tests.wings.bridges.ray.crew import local

# Each Python process of the cluster, and this one, writes down for what other hosts it looks.
WATCHING = """
import os, socket, sys
def watch(event, given):
    if event == "socket.getaddrinfo":
        host = given[0]
    elif event == "socket.connect" and given[0].family != socket.AF_UNIX:
        host = given[1][0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host not in (None, "", *os.environ.get("WATCH_HOSTS", host).split()):
        with open(os.environ["WATCH_FILE"], "a") as file:
            print(os.path.basename(sys.argv[0]), host, file=file)
sys.addaudithook(watch)
"""

# With or without statistics, the service of a head asks which cloud it is in.
CLOUD = {"dashboard.py 169.254.169.254", "dashboard.py metadata.google.internal"}


class Cluster:
    """A head and a node beside it, and a connection to both."""

    def __init__(self, folder: Path) -> None:
        import ray
        from ray.cluster_utils import Cluster as Nodes

        self._calls = folder / "calls.txt"
        self._nodes = Nodes(
            initialize_head=True,
            head_node_args={**SMALL, "include_dashboard": False, "no_monitor": True},
        )
        self._other = self._nodes.add_node(**SMALL)
        self._ray = ray
        ray.init(self.address, log_to_driver=False, logging_level=logging.ERROR)

    @property
    def calls_outside(self) -> set[str]:
        """Who looked for which host that is not this one, but for what Ray cannot leave off."""
        known = self._calls.read_text("utf-8").splitlines() if self._calls.exists() else []
        return set(known) - CLOUD

    @property
    def address(self) -> str:
        """What `--address` takes."""
        return str(self._nodes.address)

    def workers(self) -> list[psutil.Process]:
        """The processes that carry out cases."""
        return [each for node in self._nodes.list_all_nodes() for each in _workers_of(node)]

    def kill_worker(self) -> None:
        """Kill one on the second node."""
        _workers_of(self._other)[0].kill()

    def kill_other(self) -> None:
        """Kill the second node, for good."""
        self._other.all_processes["raylet"][0].process.kill()

    def close(self) -> None:
        self._ray.shutdown()
        self._nodes.shutdown()


def _workers_of(node: Any) -> list[psutil.Process]:
    with suppress(psutil.Error):
        found = psutil.Process(node.all_processes["raylet"][0].process.pid).children()
        return [each for each in found if _title(each).startswith("ray::Actor")]
    return []


def _title(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return " ".join(process.cmdline())
    return ""


# Without what follows logs, which nobody reads.
SMALL = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_log_monitor": False}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if importlib.util.find_spec("ray") is None:  # importing it reads the variables set below
        pytest.skip("needs the extra ray")
    folder = tmp_path_factory.mktemp("watching")
    (folder / "sitecustomize.py").write_text(WATCHING, "utf-8")
    own = {"127.0.0.1", "::1", "0.0.0.0", "localhost", socket.gethostname()}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing; says which address is ours
        own.add(probe.getsockname()[0])
    before = dict(os.environ)
    os.environ |= {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, [before.get("PYTHONPATH")])]),
        "WATCH_FILE": str(folder / "calls.txt"),
        "WATCH_HOSTS": " ".join(own),
        "RAY_USAGE_STATS_ENABLED": "0",
        # So that a killed node is known to be gone after seconds.
        "RAY_health_check_period_ms": "500",
        "RAY_health_check_failure_threshold": "4",
        # Workers give way to all else by default: beside other tests they starve.
        "RAY_worker_niceness": "0",
        # A process that has carried out a task stays for the next one.
        "RAY_idle_worker_killing_time_threshold_ms": "60000",
        # Else a head that sends no statistics sends word that it sends none.
        "RAY_USAGE_STATS_REPORT_URL": "http://127.0.0.1:9",
    }
    exec(WATCHING, {})
    # Ray reads some when it is imported, which an earlier test of this process may have done.
    from ray._private.authentication_test_utils import reset_auth_token_state

    reset_auth_token_state()
    nodes = Cluster(folder)
    try:
        yield nodes
    finally:
        nodes.close()
        os.environ.clear()
        os.environ.update(before)
        reset_auth_token_state()


@pytest.fixture(scope="module")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, options: dict[str, Any], judge: FakeJudge
) -> tuple[Path, int]:
    """A run in one process, and how many calls it took."""
    path = tmp_path_factory.mktemp("local") / "run.assay"
    judge.requests.clear()
    local(options, path)
    return path, len(judge.requests)
