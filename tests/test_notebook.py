"""A notebook, executed as people execute theirs: objects in memory, a judge that is a function."""

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

CELLS = (
    """
import json, re
import deepassay
from deepassay import Report, Task

tasks = [
    Task(id="sky", prompt="Why is the sky blue?", checklist=["Is light named?", "Is air named?"]),
    Task(id="sea", prompt="Why is the sea salty?", checklist=["Is rain named?", "Is rock named?"]),
]
texts = {
    "heron": {"sky": "# Sky\\n\\nAir scatters blue light.", "sea": "# Sea\\n\\nRivers wash it."},
    "cuckoo": {"sky": "# Sky\\n\\nIt is blue.", "sea": "# Sea\\n\\nIt is salty."},
}
reports = [Report(text, agent, task) for agent, own in texts.items() for task, text in own.items()]
""",
    """
async def judge(prompt):
    asked = re.findall(r"^\\d+\\. .*", prompt, re.MULTILINE)
    met = int("blue light" in prompt or "Rivers wash" in prompt)
    verdict = {"score": met, "justification": "Looked for the answer."}
    return json.dumps({"evaluations": {f"q{n}": verdict for n in range(1, len(asked) + 1)}})

run = deepassay.evaluate(tasks, reports, "coverage", judge=judge)
run
""",
    "run.leaderboard()",
    'run.figure("ranking")',
    "frame = run.scores().to_pandas()\nframe",
    'list(frame.groupby("agent")["value"].mean().items())',
    'await deepassay.aevaluate(tasks, reports, "coverage", judge=judge)',
)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """For each cell, what it shows, by kind."""
    notebook = new_notebook(cells=[new_code_cell(cell.strip()) for cell in CELLS])
    folder = tmp_path_factory.mktemp("notebook")
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    nbformat.validate(notebook)
    return [
        {kind: data for output in cell.outputs for kind, data in output.get("data", {}).items()}
        for cell in notebook.cells
    ]


def test_the_run_tells_what_came_of_it(shown):
    assert "scored 4 of 4 (coverage)" in shown[1]["text/plain"]


def test_the_leaderboard_is_a_table(shown):
    assert "<table>" in shown[2]["text/html"]
    assert shown[2]["text/html"].index("heron") < shown[2]["text/html"].index("cuckoo")
    assert "heron" in shown[2]["text/plain"]


def test_the_figure_stands_in_the_notebook(shown):
    assert "<svg" in shown[3]["image/svg+xml"]
    assert shown[3]["image/png"]


def test_scores_become_a_frame(shown):
    assert "dataframe" in shown[4]["text/html"]
    assert shown[5]["text/plain"] == "[('cuckoo', 0.0), ('heron', 100.0)]"


def test_evaluating_can_be_awaited(shown):
    assert "scored 4 of 4 (coverage)" in shown[6]["text/plain"]
