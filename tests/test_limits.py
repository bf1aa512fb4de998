"""Limits of worker processes, and what happens on systems that have none."""

import importlib.util
import subprocess
import sys

import pytest

from deepassay import limits

LIMITED = "from deepassay import limits; limits.limit_process(open_files=32); "
WITHOUT = "import sys; sys.modules['resource'] = None; "


def child(program):
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.skipif(importlib.util.find_spec("resource") is None, reason="no limits here")
def test_a_process_is_limited_in_memory_files_and_processor_time():
    told = child(
        f"{LIMITED}limits.limit_processor_time(2)\n"
        "import resource as r\n"
        "kinds = r.RLIMIT_AS, r.RLIMIT_NOFILE, r.RLIMIT_FSIZE\n"
        "print(*(r.getrlimit(each)[0] for each in kinds))\n"
        "print(2 <= r.getrlimit(r.RLIMIT_CPU)[0] < 60)"
    )
    assert told.stdout.split() == [str(limits.MEMORY), "32", "0", "True"], told.stderr


def test_where_the_system_has_no_limits_the_work_is_done_all_the_same():
    told = child(
        f"{WITHOUT}{LIMITED}limits.limit_processor_time(2)\n"
        "import deepassay.reports.documents.worker, deepassay.sources.worker\n"
        "print(limits.available())"
    )
    assert told.stdout == "False\n", told.stderr
