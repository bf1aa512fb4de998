"""Small files of people's labels, written by us in the layouts of the published sets."""

import csv
import json

PAGE = "The ferry line opened in 2019. It carries 4,200 passengers a day."
SENTENCES = ["(meta data) TITLE: Ferries", "The ferry opened in 2019.", "It carries no cars."]

ATTRIBUTION = [
    {
        "question": "When did it open?",
        "claim": "The ferry line opened in 2019.",
        "references": [PAGE, "Cars use the bridge."],
        "attribution_label": "attributable",
        "src_dataset": "ExpertQA",
        "id": "1",
    },
    {
        "question": "What does it carry?",
        "claim": "A bakery closed in 1987.",
        "references": [PAGE],
        "attribution_label": "not attributable",
        "src_dataset": "LFQA",
        "id": "2",
    },
]
WICE = [
    {
        "label": "partially_supported",
        "supporting_sentences": [[1], [1, 2]],
        "claim": "The ferry opened in 2019 with a feast.",
        "evidence": SENTENCES,
        "meta": {"id": "d1"},
    },
    {
        "label": "not_supported",
        "supporting_sentences": [],
        "claim": "A bakery closed in 1987.",
        "evidence": SENTENCES,
        "meta": {"id": "d2"},
    },
    {
        "label": "supported",
        "supporting_sentences": [[2]],
        "claim": "It carries no cars.",
        "evidence": SENTENCES,
        "meta": {"id": "d3"},
    },
]
LFQA = [
    {
        "question_id": 7,
        "question": "Why do ferries float?",
        "answers": ["They displace water.", "Cork helps."],
        "annotations": [
            {"answer": "They displace water.", "labels": ["supported", "supported", "partially"]},
            {"answer": "Cork helps.", "labels": ["not_supported", "supported", "partially"]},
        ],
    }
]
LFQA_DOCS = [
    {
        "question_id": 7,
        "question": "Why do ferries float?",
        "docs": [{"doc_id": "w:0", "title": "Ferries", "text": "They displace water."}],
    }
]
REFCHECKER = [
    {
        "id": "12",
        "response": "The ferry opened in 2019.",
        "claude2_response_kg": [
            {"triplet": ["ferry", "opened in", "2019"], "human_label": "Entailment"},
            {"triplet": ["ferry", "carries", "cars"], "human_label": "Contradiction"},
            {"triplet": ["ferry", "painted", "red"], "human_label": "Neutral"},
        ],
        # What the set's own program adds for another extractor.
        "gpt4_response_kg": [{"triplet": ["ferry", "opened", "2019"], "gpt4_label": "Neutral"}],
    }
]
FACTSCORE = [
    {"input": "Tell me of it.", "output": "I cannot.", "topic": "A bridge", "annotations": None},
    {
        "input": "Tell me of the ferry.",
        "output": "The ferry opened in 2019.",
        "topic": "Ferry line",
        "cat": ["rare"],
        "annotations": [
            {
                "text": "The ferry opened in 2019.",
                "is-relevant": True,
                "human-atomic-facts": [
                    {"text": "The ferry opened in 2019.", "label": "S"},
                    {"text": "The ferry is green.", "label": "NS"},
                    {"text": "2019 was a year.", "label": "IR"},
                ],
            },
            {"text": "A remark.", "is-relevant": False, "human-atomic-facts": None},
        ],
    },
]
DEEPFACT = [
    {
        "sentence": "The ferry opened in 2019.",
        "sentence_idx": 3,
        "report_id": "r1",
        "domain": "Engineering",
        "human_verdict": "SUPPORTED",
        "human_reason": "As the operator says.",
        "agent_verdict": "SUPPORTED",
    },
    {
        "sentence": "Below, the history is told.",
        "sentence_idx": 0,
        "report_id": "r1",
        "domain": "Engineering",
        "relevance": "1",
        "human_verdict": None,
        "agent_verdict": "",
    },
    {
        "sentence": "It sank in 2020.",
        "sentence_idx": 4,
        "report_id": "r1",
        "domain": "Engineering",
        "human_verdict": "INCONCLUSIVE",
        "human_reason": "Nobody knows.",
        "agent_verdict": "CONTRADICTORY",
    },
]
RAGCHECKER = [
    {
        "instance_id": number,
        "dataset": "kiwi",
        "query_id": "41",
        "query": "When did the ferry open?",
        "gt_answer": "The ferry opened in 2019.",
        "model1": {"model_name": "a", "response": "The ferry opened in 2019."},
        "model2": {"model_name": "b", "response": "There is a bridge, and a bakery too."},
        "correctness_label": -2,
        "completeness_label": 0,
        "overall_label": label,
    }
    for number, label in enumerate((-1, -2))
]


def as_lines(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def as_list(path, rows):
    path.write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
    return path


def as_csv(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def judgment_bench(folder, **changes):
    """The folder of JudgmentBench with one task, two answers and two raters. changes: of files."""
    files = {
        "outputs/outputs": [
            {"output_id": "o1", "task_id": "t1", "quality_level": "good",
             "output_text": "The clause binds both sides."},
            {"output_id": "o2", "task_id": "t1", "quality_level": "",
             "output_text": "I like ferries."},
        ],
        "base/tasks": [{"task_id": "t1", "task": "Clause", "prompt": "Whom does it bind?"}],
        "base/rubric_items": [
            {"rubric_item_id": "i1", "task_id": "t1", "section": "law", "label": "Names both sides",
             "scoring_mode": "binary", "weight": "2", "max_score": "2", "item_order": "1"},
            {"rubric_item_id": "i2", "task_id": "t1", "section": "law", "label": "Chats",
             "scoring_mode": "occurrence_count", "weight": "-9", "max_score": "0",
             "item_order": "2"},
        ],
        "human/annotations_comparative_judgment": [
            {"annotation_id": "c1", "annotator_id": "a", "task_id": "t1",
             "option_a_output_id": "o2", "option_b_output_id": "o1", "preferred_output_id": "o1"},
            {"annotation_id": "c2", "annotator_id": "b", "task_id": "t1",
             "option_a_output_id": "o1", "option_b_output_id": "o2", "preferred_output_id": "o2"},
            {"annotation_id": "c3", "annotator_id": "c", "task_id": "t1",
             "option_a_output_id": "o1", "option_b_output_id": "o2", "preferred_output_id": ""},
        ],
        "human/annotations_rubric": [
            {"annotation_id": "r1", "annotator_id": "a", "task_id": "t1", "output_id": "o1"},
            {"annotation_id": "r2", "annotator_id": "a", "task_id": "t1", "output_id": "o2"},
        ],
        "human/rubric_item_scores": [
            {"annotation_id": each, "rubric_item_id": item, "raw_value": value}
            for each, item, value in (
                ("r1", "i1", "1"), ("r1", "i2", "0"), ("r2", "i1", "0"), ("r2", "i2", "3"),
            )
        ],
    } | changes  # fmt: skip
    for name, rows in files.items():
        as_csv(folder / f"{name}.csv", rows)
    return folder


def race_scores(tasks):
    """Scores of three people for two agents, in the layout of DeepResearch Bench's own."""
    names = ("Comprehensiveness", "depth", "instruction following", "readability")
    return [
        {
            "id": task,
            "annotation_id": f"a{rater // 2}",
            "dimension_scores": {
                agent: dict.fromkeys(names, base + 5 * rater + at)
                for at, (agent, base) in enumerate((("heron", 60), ("magpie", 40)))
            },
            "overall_scores": {"heron": 60 + 5 * rater, "magpie": 41 + 5 * rater},
        }
        for task in tasks
        for rater in range(3)
    ]
