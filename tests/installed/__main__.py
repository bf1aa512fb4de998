"""Builds the environments, does in each what the documents tell its users, and prints a table.

python -m tests.installed                       every extra, as pinned, by this Python
python -m tests.installed core web              these only
python -m tests.installed core --newest         what the index has today
python -m tests.installed core --every-python   by every Python from 3.11 that is found
python -m tests.installed --unless-tried        every extra, if what is installed has changed
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.docs.markdown import REPOSITORY
from tests.docs.running import environment, material, paid_judges
from tests.environments import build_wheel
from tests.preloaded import preloaded

from .fresh import Fresh, NoIndex, Unfit
from .guides import Lacking, guides
from .smokes import SMOKES, given

TRIED: Final = Path(__file__).with_name("tried.sha256")
"""The `digest` of what was installed when every environment was last seen to work."""

BESIDE: Final = {"pytest": "pytest"}
"""What documents have users install beside DeepAssay, by the name of its environment."""


@dataclass
class Tried:
    """An environment and what came of it. amiss: nothing where all is well."""

    name: str
    pins: str
    python: str
    commands: list[str] = field(default_factory=list)
    amiss: list[str] = field(default_factory=list)
    seconds: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)


def project() -> dict[str, Any]:
    """What pyproject.toml says of the project."""
    found: dict[str, Any] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    return found["project"]


def environments() -> list[str]:
    """The core, every extra but those that only gather others, and what stands beside them."""
    extras = [name for name in project()["optional-dependencies"] if name not in ("all", "dev")]
    return ["core", *extras, *BESIDE]


def brought(name: str) -> set[str]:
    """The extras that an environment has: an extra may bring others."""
    found = {name}
    for each in project()["optional-dependencies"].get(name, ()):
        if inner := re.fullmatch(r"deepassay\[([\w,]+)\]", each):
            found |= {more for one in inner[1].split(",") for more in brought(one)}
    return found


def pythons() -> Iterator[tuple[str, Path]]:
    """Every Python that DeepAssay may run on and this machine has, by its version."""
    least = tuple(map(int, re.findall(r"\d+", project()["requires-python"])))
    places = [*os.environ["PATH"].split(os.pathsep), str(Path(sys.executable).resolve().parent)]
    if shutil.which("pyenv"):
        root = subprocess.run(["pyenv", "root"], capture_output=True, text=True, check=True)
        places += map(str, Path(root.stdout.strip(), "versions").glob("*/bin"))
    found: dict[str, Path] = {}
    for place in places:
        for program in sorted(Path(place).glob("python3.[0-9]*")):
            version = program.name.removeprefix("python")
            if re.fullmatch(r"3\.\d+", version) and tuple(map(int, version.split("."))) >= least:
                told = subprocess.run([program, "-c", ""], check=False, capture_output=True)
                if not told.returncode:
                    found.setdefault(version, program)
    yield from sorted(found.items(), key=lambda each: int(each[0].partition(".")[2]))


def tried(
    wheel: Path, name: str, pins: str, python: Path, version: str, *, documents: bool
) -> Tried:
    """One environment, made, used and removed. documents: are followed too. Raises NoIndex."""
    result = Tried(name, pins, version)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="deepassay-") as folder:
        fresh = Fresh(Path(folder), extras=brought(name), done=result.commands)
        try:
            fresh.install(python, requirements(wheel, name), pinned=pins == "pinned")
            result.versions = fresh.versions()
            given(fresh)
            for extra in sorted(fresh.extras):
                SMOKES.get(extra, lambda _: None)(fresh)
            if documents:
                followed(fresh, name, result)
        except NoIndex:
            raise
        except (Unfit, OSError, subprocess.SubprocessError, AssertionError) as error:
            result.amiss.append(str(error) or type(error).__name__)
    result.seconds = time.monotonic() - began
    print(line(result), flush=True)
    return result


def requirements(wheel: Path, name: str) -> list[str]:
    """What pip is told to install."""
    if name in BESIDE:
        return [str(wheel), BESIDE[name]]
    return [str(wheel) if name == "core" else f"deepassay[{name}] @ {wheel.as_uri()}"]


def followed(fresh: Fresh, name: str, result: Tried) -> None:
    """The documents, one after the other, each in a folder of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="deepassay-") as folder,
        preloaded(environment([fresh.python.parent]), str(fresh.python)) as program,
        paid_judges() as judges,
    ):
        for number, path in enumerate(guides(name)):
            place = Path(folder, str(number))
            place.mkdir()
            reader = Lacking(
                material(place), judges, (program, fresh.python.parent),
                has=fresh.extras, done=result.commands, amiss=result.amiss,
            )  # fmt: skip
            reader.follow(path)


def line(result: Tried) -> str:
    """An environment in a line, and below it what is amiss."""
    how = "all is well" if not result.amiss else f"{len(result.amiss)} amiss"
    told = (
        f"{result.name:10} {result.pins:7} {result.python:5} "
        f"{len(result.commands):4} commands  {result.seconds:4.0f} s  {how}"
    )
    return "\n".join([told, *(f"    {each}" for each in result.amiss)])


def digest() -> str:
    """Of what is installed: how the wheel is made and what it asks for, and the pins.

    The rest of pyproject.toml is settings of tools that check the project.
    """
    found = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    pins = (REPOSITORY / "constraints.txt").read_text("utf-8")
    parts = [found["build-system"], found["project"], found["tool"]["hatch"], pins]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where all is well, 1 where something is amiss, 2 where the index did not answer."""
    parser = argparse.ArgumentParser(prog="python -m tests.installed")
    parser.add_argument("names", nargs="*", help="environments; without any, all of them")
    parser.add_argument("--newest", action="store_true", help="the newest versions, not the pins")
    parser.add_argument("--every-python", action="store_true")
    parser.add_argument("--without-documents", action="store_true")
    parser.add_argument("--unless-tried", action="store_true", help="nothing if all was tried so")
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path, help="write here what was run, with versions")
    given_ = parser.parse_args(arguments)
    names = given_.names or environments()
    if unknown := set(names) - set(environments()):
        parser.error(f"no such environment: {', '.join(sorted(unknown))}")
    if given_.unless_tried and TRIED.read_text("utf-8").strip() == digest():
        print("What is installed is as it was when every environment was seen to work.")
        return 0
    here = (f"{sys.version_info.major}.{sys.version_info.minor}", Path(sys.executable))
    interpreters = list(pythons()) if given_.every_python else [here]
    pins = "newest" if given_.newest else "pinned"
    documents = not given_.without_documents
    with (
        tempfile.TemporaryDirectory(prefix="deepassay-") as folder,
        ThreadPoolExecutor(given_.at_once) as pool,
    ):
        wheel = build_wheel(Path(folder))
        begun = [
            pool.submit(tried, wheel, name, pins, python, version, documents=documents)
            for version, python in interpreters
            for name in names
        ]
        try:
            results = [each.result() for each in begun]
        except NoIndex as error:
            pool.shutdown(cancel_futures=True)
            print(f"{error}\nNot everything was tried: this needs the index of packages.")
            return 2
    if given_.json:
        given_.json.write_text(json.dumps([asdict(each) for each in results], indent=1))
    if any(each.amiss for each in results):
        return 1
    if set(names) == set(environments()) and pins == "pinned":
        TRIED.write_text(f"{digest()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
