"""`deepassay` in a process of its own that tells on its last line what it took: JSON on stderr.

`python -m benchmarks.command evaluate …` is `deepassay evaluate …`; with DEEPASSAY_PROFILE=FILE in
the environment it writes a profile there. `take` does so, and reads what it took.
"""

from __future__ import annotations

import cProfile
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.material import ROOT
from deepassay.cli import main as deepassay


@dataclass(frozen=True)
class Done:
    """What a command took.

    wall: seconds. own, children: seconds of the processor, of it and of the processes that read
    pages for it. peak: MB.
    """

    wall: float
    own: float
    children: float
    peak: float

    def __str__(self) -> str:
        return (
            f"processor {self.own:.1f} s, of its children {self.children:.1f} s; "
            f"peak {self.peak:.0f} MB"
        )

    @property
    def busy(self) -> float:
        """Seconds of the processor in all."""
        return self.own + self.children


def start(
    *arguments: str, profile: str = "", module: str = "benchmarks.command", quiet: bool = False
) -> subprocess.Popen[str]:
    """The command, begun. module: in place of it. quiet: without what it prints as its result."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, "DEEPASSAY_PROFILE": profile},
        stdout=subprocess.DEVNULL if quiet else None,
        stderr=subprocess.PIPE,
        text=True,
    )


def take(
    *arguments: str, profile: str = "", module: str = "benchmarks.command", quiet: bool = False
) -> Done:
    """The command from its start to its end; what it says is printed."""
    began = time.perf_counter()
    with start(*arguments, profile=profile, module=module, quiet=quiet) as process:
        _, stderr = process.communicate()
    wall = time.perf_counter() - began
    if process.returncode != 0:
        raise SystemExit(stderr)
    *said, took = stderr.splitlines()
    print("\n".join(f"    {line}" for line in said))
    return Done(wall, **json.loads(took))


def told(act: Callable[[], object]) -> None:
    """Do something, and tell what it took."""
    try:
        act()
    finally:
        own = resource.getrusage(resource.RUSAGE_SELF)
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = {
            "own": own.ru_utime + own.ru_stime,
            "children": children.ru_utime + children.ru_stime,
            "peak": own.ru_maxrss / 1024,
        }
        print(json.dumps(took), file=sys.stderr)


def main() -> None:
    """Run the command that stands in the arguments."""
    sys.argv[0] = "deepassay"
    if profile := os.environ.get("DEEPASSAY_PROFILE"):
        told(lambda: cProfile.runctx("deepassay()", globals(), {}, filename=profile))
    else:
        told(deepassay)


if __name__ == "__main__":
    main()
