"""The wing's own words: prompts for models, and the words that its offline rules write with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from deepassay.files import read_yaml
from deepassay.score import Json
from deepassay.tasks.task import Language

PROMPTS: Final = files(__package__) / "prompts"
_WORDINGS: Final = files(__package__) / "wordings"


@cache
def wordings(name: str, language: Language) -> Mapping[str, Json]:
    """The words of an offline rule: `wordings/NAME.LANGUAGE.yaml`."""
    return dict(read_yaml((_WORDINGS / f"{name}.{language}.yaml").read_text("utf-8")))
