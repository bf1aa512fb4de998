"""Batches as files that somebody else carries out: `vllm run-batch`, or an upload by hand.

`batch-1.jsonl` holds the requests, `batch-1.results.jsonl` beside it is waited for.
"""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deepassay.errors import BadSetting, Notice
from deepassay.files import write_whole
from deepassay.models.batches.interface import Collected, Encoded, Looked
from deepassay.models.batches.openai import ChatCodec, line_of, names_in, results_in
from deepassay.models.client import Call, Completion
from deepassay.score import Json
from deepassay.text import brief

STILL: Final = 60.0
"""Seconds without a change after which a file of results is whole although lines are missing."""
_REMEDY: Final = "Put the file there that came of it, or remove this one to wait for it."


@dataclass
class BatchFolder:
    """A folder of files of requests to one model."""

    folder: Path
    codec: ChatCodec
    provider: str
    kind: str = "folder"
    most: int = 50_000
    most_bytes: int = 50_000_000

    async def encode(self, call: Call) -> Encoded:
        """A call as the body of a request that can go into a batch."""
        return await self.codec.encode(call)

    async def create(self, number: int, requests: Mapping[str, Encoded]) -> Json:
        """Write the file of requests. Raises BadSetting where there is another one."""
        path = self.folder / f"batch-{number}.jsonl"
        lines = [line_of(name, self.codec.endpoint, each) for name, each in requests.items()]
        text = "".join(f"{line}\n" for line in lines)
        await asyncio.to_thread(self._write, path, text)
        return {"file": path.name, "requests": len(lines)}

    def _write(self, path: Path, text: str) -> None:
        try:
            if path.exists() and path.read_text("utf-8") != text:
                raise BadSetting(
                    f"{path} is there already, with other requests.",
                    "Name an empty folder with --batch-file: one for each run file.",
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text)
        except OSError as error:
            raise BadSetting(
                f"{path}: cannot be written ({error.strerror}).", "Choose another folder."
            ) from error

    async def find(
        self, number: int, names: Collection[str], since: str, besides: Sequence[Json]
    ) -> Json:
        """The file of these requests, if it was written."""
        path = self.folder / f"batch-{number}.jsonl"
        if not path.exists() or names_in(path.read_bytes()) != {*names}:
            return None
        return {"file": path.name, "requests": len(names)}

    async def look(self, handle: Json) -> Looked:
        """Whether the results are there: a line for each request, or no change for a while."""
        path = self._results(handle)
        if not path.exists():
            return Looked(handle, ended=False)
        whole = len(self._found(path)) >= handle["requests"]
        return Looked(handle, whole or time.time() - path.stat().st_mtime > STILL)

    async def results(self, handle: Json) -> Collected:
        """What the file of results holds. Raises BadSetting if it is of other requests."""
        path, asked = self._results(handle), self.folder / handle["file"]
        found = self._found(path)
        names = names_in(asked.read_bytes()) if asked.exists() else found.keys()
        if not found.keys() & names:
            raise BadSetting(f"{path} has no answer to {asked.name}.", _REMEDY)
        if others := [name for name in found if name not in names]:
            told = f"results left out that answer no request in {asked.name}: {len(others)}"
            first = f"the first: {brief(others[0])}"
            warnings.warn(Notice(f"{path}: {told}, {first}."), stacklevel=2)
        return Collected(found, {"status": "missing"})

    def decode(self, result: Json, call: Call) -> Completion:
        """The completion that a result of a batch holds. Raises as the codec does."""
        return self.codec.decode(result, call)

    def _found(self, path: Path) -> dict[str, Json]:
        try:
            return dict(results_in(path.read_bytes(), self.codec.client.key))
        except OSError as error:
            raise BadSetting(f"{path} cannot be read ({error.strerror}).", _REMEDY) from error

    def _results(self, handle: Json) -> Path:
        return self.folder / f"{handle['file'].removesuffix('.jsonl')}.results.jsonl"
