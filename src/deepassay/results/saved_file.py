"""What is known of judges as files of JSON, which commands write and `leaderboard` reads."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from deepassay.errors import BadInput


class SavedPart(BaseModel):
    """A part of such a file; what a later version keeps besides is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class SavedFile(SavedPart):
    """A whole file. what: as messages name it. again: the command that writes it."""

    what: ClassVar[str]
    again: ClassVar[str]

    def to_json(self) -> str:
        """The text of the file: indented JSON, which `read` takes."""
        return self.model_dump_json(indent=2) + "\n"

    @classmethod
    def read(cls, text: str, place: str) -> Self:
        """What `to_json` wrote. Raises BadInput, naming the place of the file."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "all of it"
            problem = f"{place} is no {cls.what}: {where}: {first['msg']}."
            raise BadInput(problem, cls.again) from None

    @classmethod
    def of_file(cls, path: Path) -> Self:
        """What `to_json` wrote into a file. Raises BadInput, also where it cannot be read."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{path} cannot be read: {error}.", cls.again) from None
        return cls.read(text, str(path))
