"""A local classifier in place of a judge, for whether a page supports a claim.

    deepassay evaluate ... --protocol fact --verifier local:FOLDER

The folder holds what an export of a sequence-pair classifier leaves: one `*.onnx` file,
`tokenizer.json`, and `config.json` with the names of the labels. What these leave open stands in
`deepassay.json`:

    {"labels": {"0": "unsupported", "1": "supported"}, "threshold": 0.5, "window": 512,
     "claim_first": false}

A long page is read in windows that overlap by an eighth. A claim is supported if any window
supports it; else unsupported or unknown, whichever the windows say with more certainty.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deepassay.errors import BadSetting, MissingExtra
from deepassay.models.ask import Answers, ComputingAsker
from deepassay.models.operation import In, Operation, Out, PairVerdict
from deepassay.score import Json

if TYPE_CHECKING:
    from numpy.typing import NDArray

PREFIX: Final = "local:"

AT_ONCE: Final = 8
"""Windows in one call of the model."""

Label = Literal["supported", "unsupported", "unknown"]

_NAMES: Final[Mapping[str, Label]] = {
    **dict.fromkeys(("entailment", "supported", "support", "supports", "consistent"), "supported"),
    **dict.fromkeys(("contradiction", "unsupported", "not_supported", "refutes"), "unsupported"),
    **dict.fromkeys(("not_entailment", "inconsistent", "hallucinated"), "unsupported"),
    **dict.fromkeys(("neutral", "unknown", "not_enough_info", "nei"), "unknown"),
}
"""What the names of labels mean that published classifiers have."""


class _Options(BaseModel):
    """The file `deepassay.json` in the folder of a verifier: its labels, threshold and window."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    labels: dict[str, Label] = Field(default_factory=dict)
    threshold: float = Field(default=0.5, gt=0, lt=1)
    window: int | None = Field(default=None, ge=32)
    claim_first: bool = False


@dataclass(frozen=True)
class _TokenWindow:
    """A part of a page with one claim, as the model takes it. start, end: of the part."""

    ids: Sequence[int]
    kinds: Sequence[int]
    start: int
    end: int


class Classifier:
    """A sequence-pair classifier in a folder. Raises BadSetting, MissingExtra."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._options = _options(folder)
        self._model = _only_model(folder)
        self._config = _read_json(folder / "config.json") if _has(folder, "config.json") else {}
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError:
            raise MissingExtra(f"--verifier {PREFIX}{folder}", "local") from None
        quiet = onnxruntime.SessionOptions()
        quiet.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(self._model), quiet, providers=["CPUExecutionProvider"]
            )
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # both libraries raise bare exceptions
            raise BadSetting(
                f"{folder}: the classifier cannot be loaded ({str(error).splitlines()[0]}).",
                "The folder needs one *.onnx file and the tokenizer.json of the same model.",
            ) from None
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._labels = self._named(self._classes())
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(
            self.window, stride=self.window // 8, strategy=self._strategy
        )

    @property
    def window(self) -> int:
        """Tokens that the model takes at once, claim included."""
        longest = self._config.get("max_position_embeddings", 512)
        return self._options.window or min(int(longest), 512)

    @property
    def _strategy(self) -> str:
        return "only_second" if self._options.claim_first else "only_first"

    @cached_property
    def identity(self) -> dict[str, Json]:
        """Name and digest of the folder, and how its answers are read."""
        digest = hashlib.sha256()
        for path in sorted(self.folder.iterdir()):
            if path.suffix in (".onnx", ".json", ".onnx_data", ".data"):
                digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
                with path.open("rb") as file:
                    while block := file.read(1 << 20):
                        digest.update(block)
        return {
            "model": f"{PREFIX}{self.folder.resolve().name}",
            "files": digest.hexdigest()[:12],
            "labels": dict(self._labels),
            "threshold": self._options.threshold,
            "window": self.window,
            "claim_first": self._options.claim_first,
        }

    def verdict(self, page: str, claim: str) -> PairVerdict:
        """What the page says of the claim, and the window that decides."""
        windows = self._windows(page, claim)
        shares = np.concatenate(
            [self._shares(windows[at : at + AT_ONCE]) for at in range(0, len(windows), AT_ONCE)]
        )
        by_label: dict[str, NDArray[np.float64]] = {
            label: shares[:, [int(n) for n, each in self._labels.items() if each == label]].sum(1)
            for label in set(self._labels.values())
        }
        best = int(by_label["supported"].argmax())
        share = float(by_label["supported"][best])
        if share >= self._options.threshold:
            return PairVerdict("supported", windows[best].start, windows[best].end, share, share)
        against = {label: float(each.max()) for label, each in by_label.items()}
        del against["supported"]
        label = max(sorted(against), key=lambda each: against[each])
        place = windows[int(by_label[label].argmax())]
        sure = against[label]
        return PairVerdict(label, place.start, place.end, sure, share)  # type: ignore[arg-type]

    def _windows(self, page: str, claim: str) -> list[_TokenWindow]:
        first = self._options.claim_first
        try:
            encoded = self._tokenizer.encode(*((claim, page) if first else (page, claim)))
        except Exception:  # the claim alone fills the window: it is cut instead
            half = claim[: len(claim) // 2]
            if not half:
                raise
            return self._windows(page, half)
        windows = []
        for each in (encoded, *encoded.overflowing):
            places = [
                place
                for place, sequence in zip(each.offsets, each.sequence_ids, strict=True)
                if sequence == int(first)
            ]
            start, end = (places[0][0], places[-1][1]) if places else (0, 0)
            windows.append(_TokenWindow(each.ids, each.type_ids, start, end))
        return windows

    def _shares(self, windows: Sequence[_TokenWindow]) -> NDArray[np.float64]:
        """The probability of each class in each window; of one logit, of no and yes."""
        logits = np.asarray(self._session.run(None, self._tensors(windows))[0], dtype=np.float64)
        if logits.shape[1] == 1:
            yes = 1 / (1 + np.exp(-logits))
            return np.hstack([1 - yes, yes])
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def _tensors(self, windows: Sequence[_TokenWindow]) -> dict[str, NDArray[np.int64]]:
        longest = max(len(each.ids) for each in windows)
        pad = int(self._config.get("pad_token_id") or 0)
        tensors = {
            "input_ids": np.full((len(windows), longest), pad, dtype=np.int64),
            "attention_mask": np.zeros((len(windows), longest), dtype=np.int64),
            "token_type_ids": np.zeros((len(windows), longest), dtype=np.int64),
        }
        for row, each in enumerate(windows):
            tensors["input_ids"][row, : len(each.ids)] = each.ids
            tensors["attention_mask"][row, : len(each.ids)] = 1
            tensors["token_type_ids"][row, : len(each.ids)] = each.kinds
        return {name: tensor for name, tensor in tensors.items() if name in self._inputs}

    def _classes(self) -> int:
        """How many classes it has. Raises BadSetting where it is no classifier."""
        if unknown := self._inputs - {"input_ids", "attention_mask", "token_type_ids"}:
            raise BadSetting(
                f"{self._model}: takes {', '.join(sorted(unknown))}, which no tokenizer gives.",
                "Export the model as a text classifier.",
            )
        probe = self._session.run(None, self._tensors([_TokenWindow([0, 0], [0, 0], 0, 0)]))[0]
        if np.ndim(probe) != 2:
            raise BadSetting(
                f"{self._model}: gives {np.ndim(probe)} dimensions, not a score for each label.",
                "Take a sequence classifier, exported with its head: an embedding model is none.",
            )
        return int(np.shape(probe)[1])

    def _named(self, classes: int) -> dict[str, Label]:
        """What each class means, by its number. Raises BadSetting where nobody says."""
        if self._options.labels:
            found = dict(self._options.labels)
        elif classes == 1:
            found = {"0": "unsupported", "1": "supported"}
        else:
            names = self._config.get("id2label", {})
            found = {
                number: _NAMES[plain]
                for number, name in names.items()
                if (plain := str(name).lower().replace(" ", "_").replace("-", "_")) in _NAMES
            }
        wanted = {str(number) for number in range(max(classes, 2))}
        if set(found) != wanted or not {"supported", "unsupported"} <= set(found.values()):
            raise BadSetting(
                f"{self.folder}: what its {classes} labels mean is not clear.",
                'Write deepassay.json into it, such as {"labels": {"0": "unsupported", '
                '"1": "supported"}}; a third label is unknown.',
            )
        return dict(sorted(found.items(), key=lambda each: int(each[0])))


class VerifyingAsker(ComputingAsker):
    """Answers questions about pairs of page and claim with a classifier."""

    def __init__(self, classifier: Classifier, run: Answers) -> None:
        super().__init__(run, classifier.identity)
        self._classifier = classifier
        self._one_at_a_time = asyncio.Lock()  # the model itself takes all cores

    async def verdicts(self, operation: Operation[In, Out], inputs: In) -> list[PairVerdict]:
        """What it says of each claim. Raises BadSetting where nothing is asked about claims."""
        if operation.pairs is None:
            raise BadSetting(
                f"A classifier cannot answer {operation.name}.",
                "Give --verifier to protocols that ask whether a page supports a statement.",
            )
        page, claims = operation.pairs.of(inputs)
        async with self._one_at_a_time:
            return [
                await asyncio.to_thread(self._classifier.verdict, page, claim) for claim in claims
            ]

    async def _compute(self, operation: Operation[In, Out], inputs: In) -> Out:
        found = await self.verdicts(operation, inputs)
        pairs = operation.pairs
        if pairs is None:
            raise TypeError("a question without pairs has no verdicts")
        return pairs.answer(inputs, found)


def _options(folder: Path) -> _Options:
    if not folder.is_dir():
        raise BadSetting(
            f"{PREFIX}{folder}: there is no such folder.",
            "Give a folder with model.onnx, tokenizer.json and config.json.",
        )
    if not _has(folder, "deepassay.json"):
        return _Options()
    try:
        return _Options.model_validate(_read_json(folder / "deepassay.json"))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise BadSetting(
            f"{folder / 'deepassay.json'}: {where}: {first['msg']}.",
            'It may hold "labels", "threshold", "window" and "claim_first".',
        ) from None


def _only_model(folder: Path) -> Path:
    found = sorted(folder.glob("*.onnx"))
    if len(found) != 1:
        raise BadSetting(
            f"{folder}: has {len(found)} files *.onnx, not one.",
            "Keep the one to be used, with tokenizer.json and config.json beside it.",
        )
    return found[0]


def _has(folder: Path, name: str) -> bool:
    return (folder / name).is_file()


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadSetting(f"{path}: cannot be read ({error}).", "Correct the file.") from None
    if not isinstance(content, dict):
        raise BadSetting(f"{path}: holds no JSON object.", "Correct the file.")
    return content
