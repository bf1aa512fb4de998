"""Which batch interface a model has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from deepassay.errors import BadSetting
from deepassay.models.batches.folder import BatchFolder
from deepassay.models.batches.interface import BatchInterface
from deepassay.models.batches.library import LibraryBatches
from deepassay.models.batches.openai import ChatCodec, OpenAIBatches, ResponsesCodec
from deepassay.models.chat import ChatClient
from deepassay.models.client import Client
from deepassay.models.direct import DirectClient
from deepassay.models.endpoints import Endpoint

if TYPE_CHECKING:
    from openai import AsyncOpenAI


def interface_of(
    place: Endpoint, client: Client, sdk: Callable[[], AsyncOpenAI], folder: Path | None
) -> BatchInterface:
    """The batch interface of a client. Raises BadSetting where it has none.

    sdk: connects to chat completions through OpenAI's library. folder: for files of requests that
    somebody else carries out.
    """
    provider = f"{place.name} at {place.host}"
    if folder is not None:
        if isinstance(client, ChatClient) and place.provider == "openai":
            return BatchFolder(folder, ChatCodec(client), f"{place.name} in {folder}")
        raise BadSetting(
            f"{place.name} speaks no chat completions, which files of batches are made of.",
            "Name it openai:NAME, or leave out --batch-file.",
        )
    if isinstance(client, ChatClient) and place.provider == "openai":
        return OpenAIBatches(sdk(), ChatCodec(client), provider, client.key)
    if isinstance(client, DirectClient) and place.provider == "openai-responses":
        return OpenAIBatches(sdk(), ResponsesCodec(client), provider, client.key)
    if isinstance(client, DirectClient):  # of Anthropic or Google
        return LibraryBatches(client, provider)
    raise BadSetting(
        f"{place.name} cannot be asked in batches.",
        "Name openai:, openai-responses:, anthropic: or google:, or ask without --batch.",
    )
