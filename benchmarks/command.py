"""`deepassay` in a process of its own that tells on its last line what it took: JSON on stderr.

`python -m benchmarks.command evaluate …` is `deepassay evaluate …`; with DEEPASSAY_PROFILE=FILE in
the environment it writes a profile there.
"""

from __future__ import annotations

import cProfile
import json
import os
import resource
import sys

from deepassay.cli import main as deepassay


def main() -> None:
    """Run the command that stands in the arguments."""
    sys.argv[0] = "deepassay"
    try:
        if profile := os.environ.get("DEEPASSAY_PROFILE"):
            cProfile.runctx("deepassay()", globals(), {}, filename=profile)
        else:
            deepassay()
    finally:
        own = resource.getrusage(resource.RUSAGE_SELF)
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = {
            "own": own.ru_utime + own.ru_stime,
            "children": children.ru_utime + children.ru_stime,
            "peak": own.ru_maxrss / 1024,
        }
        print(json.dumps(took), file=sys.stderr)


if __name__ == "__main__":
    main()
