"""What is published works where it is installed: the demonstration runs from a wheel."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.environments import REPOSITORY, Environment, build_wheel


def test_a_wheel_in_a_clean_environment_runs_the_demonstration(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "venv")
    environment.install(build_wheel(tmp_path / "dist"))
    away = tmp_path / "away"
    shutil.copytree(REPOSITORY / "examples", away / "examples")
    where = environment.run("python", "-c", "import deepassay; print(deepassay.__file__)",
                            folder=away).stdout  # fmt: skip
    assert str(tmp_path / "venv") in where
    script = away / "examples" / "demo" / "run.sh"
    shell = Path(shutil.which("sh") or "/bin/sh")
    done = environment.run(shell, script, environment.programs / "deepassay", folder=away)
    assert done.returncode == 0, done.stderr
    assert "heron" in done.stdout
    assert (away / "build" / "demo.assay").exists()
