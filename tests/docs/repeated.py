"""Commands of a document one after the other in one process, where a shell would add nothing.

To start a process for each takes half as long as most of them do. Folder, environment, streams and
modules of the folder are each command's own. What the package keeps from one to the next it keeps
by text, never by file, so that a file is read as it is; and files that are left open, or not yet
written, are noticed sooner here than where the end of a process closes them.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

PLAIN = re.compile(r"""deepassay (?:[^|&;<>()$`\\"'*?\[\]{}#~!\n]|"[^"$`\\\n]*"|'[^'\n]*')+""")
"""A command of ours in which a shell would do nothing but part the words."""

PROGRAM = """\
import json, os, signal, sys, traceback
from tests.preloaded import built
from deepassay.cli import app, main
app.app = built()
asked, told = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
folder, environment = os.getcwd(), dict(os.environ)
outputs = sys.argv[1:]
for line in asked:
    for path, stream in zip(outputs, (1, 2)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, stream)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for name, module in [*sys.modules.items()]:
        if (getattr(module, "__file__", None) or "").startswith(folder):
            del sys.modules[name]  # it may have been written anew
    sys.argv[:] = ["deepassay", *json.loads(line)]
    status = 0
    signal.alarm(300)
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 70
    signal.alarm(0)
    sys.stdout.flush()
    sys.stderr.flush()
    print(status, file=told, flush=True)
"""


class Repeated:
    """A process for as long as this is open.

    folder: where the commands run. environment: what they find. outputs: a folder for what they
    print.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], outputs: Path) -> None:
        self.outputs = outputs / "stdout", outputs / "stderr"
        self.process = subprocess.Popen(
            ["python-c", PROGRAM, *map(str, self.outputs)],
            cwd=folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.process.communicate(timeout=60)

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """What a plain command prints, and how it ends."""
        asked, told = self.process.stdin, self.process.stdout
        assert asked is not None and told is not None
        print(json.dumps(shlex.split(command)[1:]), file=asked, flush=True)
        status = told.readline()
        stdout, stderr = (path.read_text("utf-8") for path in self.outputs)
        assert status, f"{command} has ended all\n{stdout}{stderr}"
        return subprocess.CompletedProcess(command, int(status), stdout, stderr)
