"""A worker as an actor of Ray, and the link to it. The only module whose classes Ray carries."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from deepassay.errors import Notice
from deepassay.wings.bridges.ray.fleet import Lost
from deepassay.wings.bridges.ray.wire import Message

if TYPE_CHECKING:
    from ray.actor import ActorHandle

OPTIONS: Final[dict[str, Any]] = {
    "num_cpus": 0.01,  # it waits for the network: the cluster's processors are for others
    "max_restarts": 0,  # Ray would carry out again what is paid; the driver knows what is not
    "max_task_retries": 0,
    "max_concurrency": 1000,
}


class Actor:
    """Runs in a process of the cluster. Everything that it takes and gives is JSON bytes."""

    def __init__(self) -> None:
        from deepassay.wings.bridges.ray.worker import Worker

        warnings.simplefilter("ignore", Notice)  # which the driver has said
        self._worker = Worker()

    async def start(self, brief: bytes) -> bytes:
        """Start the worker; gives the names of the variables that hold keys on this machine."""
        return Message("started", 0, await self._worker.start(Message.of(brief).value)).packed()

    async def hear(self, messages: Sequence[bytes]) -> None:
        """Hand messages of the driver to the worker."""
        await self._worker.hear(messages)

    async def talk(self) -> Sequence[bytes] | None:
        """The messages that the worker has for the driver, None once it is done.

        It is asked again and again, since streams of Ray's are known to hang.
        """
        return await self._worker.talk()

    async def place(self) -> tuple[int, str]:
        """The process, and the node that it is on."""
        import ray

        return os.getpid(), ray.get_runtime_context().get_node_id()


class RayLink:
    """The way from the driver to the actor of one worker."""

    def __init__(self, name: str, actor: ActorHandle[Any]) -> None:
        self.name = name
        self._actor = actor

    async def start(self, brief: Message) -> Message:
        """What the worker says of itself. Raises Lost with the reason, where it cannot start."""
        from ray.exceptions import RayError

        try:
            return Message.of(await self._actor.start.remote(brief.packed()))
        except RayError as error:
            raise Lost(str(error)) from error

    async def send(self, messages: Sequence[bytes]) -> None:
        """Have the worker hear these, after those before. Raises Lost."""
        from ray.exceptions import RayError

        try:
            await self._actor.hear.remote(list(messages))
        except RayError as error:
            raise Lost(self.name) from error

    async def listen(self) -> Sequence[bytes] | None:
        """What the worker says next. Raises Lost."""
        from ray.exceptions import RayError

        try:
            said: Sequence[bytes] | None = await self._actor.talk.remote()
            return said
        except RayError as error:
            raise Lost(self.name) from error

    def kill(self) -> None:
        """End the actor: a node that cannot be reached may carry it still."""
        import ray
        from ray.exceptions import RayError

        with suppress(RayError, ValueError):  # the second where we have left the cluster
            ray.kill(self._actor)
