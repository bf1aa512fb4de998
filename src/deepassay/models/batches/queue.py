"""Questions that wait for the next batch."""

from __future__ import annotations

from typing import NamedTuple

from deepassay.models.batches.interface import Encoded
from deepassay.runfile import Request


class Queued(NamedTuple):
    """A request with what is to be sent."""

    request: Request
    encoded: Encoded


class Queue:
    """Requests in the order in which they came. most, most_bytes: of a batch at most."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self.most = most
        self._most_bytes = most_bytes
        self._queued: dict[str, Queued] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._queued)

    @property
    def is_full(self) -> bool:
        """Whether there is enough for a batch."""
        return len(self) >= self.most or self._bytes >= self._most_bytes

    def put(self, request: Request, encoded: Encoded) -> None:
        """Have a request wait."""
        self._queued[request.name] = Queued(request, encoded)
        self._bytes += _size(encoded)

    def remove(self, name: str) -> None:
        """Have a request wait no more, if it does."""
        if (found := self._queued.pop(name, None)) is not None:
            self._bytes -= _size(found.encoded)

    def take(self) -> list[Queued]:
        """What makes the next batch: of one group, and one request at least."""
        group = next(iter(self._queued.values())).encoded.group
        taken: list[Queued] = []
        size = 0
        for each in list(self._queued.values()):
            if each.encoded.group != group:
                continue
            size += _size(each.encoded)
            if len(taken) == self.most or (taken and size > self._most_bytes):
                break
            self.remove(each.request.name)
            taken.append(each)
        return taken


def _size(encoded: Encoded) -> int:
    """Bytes of a request as it is sent: what is no ASCII is escaped."""
    return len(encoded.body.encode("ascii", "backslashreplace"))
