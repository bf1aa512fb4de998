"""Clean environments: only what a wheel brings is installed, its dependencies are borrowed."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path
from sysconfig import get_path

REPOSITORY = Path(__file__).resolve().parent.parent


class Environment:
    """A virtual environment. Packages of the running one can be imported, its editable ones not."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=True)
        self.programs = folder / "bin"
        (site,) = folder.glob("lib/python*/site-packages")
        borrowed = [path for path in sys.path if path.endswith("site-packages")]
        (site / "borrowed.pth").write_text("\n".join([get_path("purelib"), *borrowed]))

    def install(self, *what: str | Path) -> None:
        """Install wheels or folders by pip, without a network; what is imported gets compiled."""
        offline = ("--no-index", "--no-deps", "--no-build-isolation", "--no-compile")
        self.pip("install", *offline, *map(str, what))

    def uninstall(self, name: str) -> None:
        self.pip("uninstall", "--yes", name)

    def pip(self, *arguments: str) -> None:
        command = [self.programs / "python", "-m", "pip", "--disable-pip-version-check", "-q"]
        subprocess.run([*command, *arguments], check=True)

    def run(
        self, program: str | Path, *arguments: str | Path, folder: Path
    ) -> subprocess.CompletedProcess[str]:
        """One of its programs in a folder."""
        command = [self.programs / program, *arguments]  # an absolute program stays itself
        path = os.pathsep.join([str(self.programs), os.environ["PATH"]])
        return subprocess.run(
            command, cwd=folder, env=os.environ | {"PATH": path},
            capture_output=True, text=True, check=False,
        )  # fmt: skip


def build_wheel(folder: Path) -> Path:
    """DeepAssay as a wheel."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel
