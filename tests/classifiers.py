"""A classifier of pairs as an export leaves it: an ONNX graph that counts words, and a tokenizer.

The first label grows with the share of the claim's words that the page has, the last with the
word `not` on the page; the one between stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save
from tokenizers import Tokenizer, models, pre_tokenizers, processors

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
WORDS = tuple(
    """
    not the roof is green red in graz a b c costs five euros per metre heat falls by two degrees
    study says city paid nobody x
    """.split()  # noqa: SIM905 - so it can be read
)
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def write_classifier(folder: Path, labels: Sequence[str] = ()) -> Path:
    """A folder with a model of three labels, its tokenizer and their names."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *WORDS))}
    save(_graph(len(vocabulary), vocabulary["not"]), str(folder / "model.onnx"))
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    names = labels or ("ENTAILMENT", "NEUTRAL", "CONTRADICTION")
    config = {"id2label": {str(n): name for n, name in enumerate(names)}, "pad_token_id": 0}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def _graph(size: int, negation: int) -> object:
    """Logits: 12 x recall - 6; 0; 10 x (page has `not`) - 5."""
    plain = np.ones(size, dtype=np.float32)
    plain[: len(SPECIAL)] = 0
    no = np.zeros((size, 1), dtype=np.float32)
    no[negation] = 1
    constants = {
        "size": np.array(size, dtype=np.int64),
        "off_on": np.array([0, 1], dtype=np.float32),
        "plain": plain,
        "no": no,
        "one": np.array(1, dtype=np.float32),
        "last": np.array([2], dtype=np.int64),
        "words": np.array([1], dtype=np.int64),
        "of_recall": np.array([[12, 0, 0]], dtype=np.float32),
        "of_negation": np.array([[0, 0, 10]], dtype=np.float32),
        "bias": np.array([[-6, 0, -5]], dtype=np.float32),
    }
    node = helper.make_node
    nodes = [
        node("OneHot", ["input_ids", "size", "off_on"], ["hot"]),
        node("Mul", ["hot", "plain"], ["known"]),
        node("Cast", ["token_type_ids"], ["of_claim"], to=TensorProto.FLOAT),
        node("Cast", ["attention_mask"], ["seen"], to=TensorProto.FLOAT),
        node("Sub", ["one", "of_claim"], ["of_page"]),
        node("Mul", ["of_page", "seen"], ["page_mask"]),
        node("Mul", ["of_claim", "seen"], ["claim_mask"]),
        node("Unsqueeze", ["page_mask", "last"], ["page_mask3"]),
        node("Unsqueeze", ["claim_mask", "last"], ["claim_mask3"]),
        node("Mul", ["known", "page_mask3"], ["page_words"]),
        node("Mul", ["known", "claim_mask3"], ["claim_words"]),
        node("ReduceMax", ["page_words", "words"], ["page"], keepdims=0),
        node("ReduceMax", ["claim_words", "words"], ["claim"], keepdims=0),
        node("Mul", ["page", "claim"], ["both"]),
        node("ReduceSum", ["both", "words"], ["hits"], keepdims=1),
        node("ReduceSum", ["claim", "words"], ["count"], keepdims=1),
        node("Max", ["count", "one"], ["of"]),
        node("Div", ["hits", "of"], ["recall"]),
        node("MatMul", ["page", "no"], ["negated"]),
        node("MatMul", ["recall", "of_recall"], ["supporting"]),
        node("MatMul", ["negated", "of_negation"], ["opposing"]),
        node("Sum", ["supporting", "opposing", "bias"], ["logits"]),
    ]
    shape = ["batch", "sequence"]
    graph = helper.make_graph(
        nodes,
        "recall",
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in INPUTS],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    opset = helper.make_opsetid("", 18)
    return helper.make_model(graph, opset_imports=[opset], ir_version=9)
