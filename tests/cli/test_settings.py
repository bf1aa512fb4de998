"""`settings`: what every setting is now, why, and which commands take it."""

FILE = """
judge = "openai:one"
budget = 3

[protocol.fact]
judge = ["offline"]
temperature = 0.5
"""


def test_each_setting_says_what_it_is_and_where_that_comes_from(deepassay, tmp_path):
    (tmp_path / "assay.toml").write_text(FILE)
    done = deepassay("settings", "--budget", "4", "--temperature", "1")
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert "judge = openai:one (file)" in told
    assert "budget = 4.0 (command line)" in told
    assert "repeat = 1 (default)" in told
    assert "date = today (default)" in told
    assert [line for line in told if line.startswith("[")] == [
        "[protocol.fact] judge = offline (file)"
    ]
    assert all(len(line) <= 80 for line in told)
    after = told[told.index("judge = openai:one (file)") + 1 :]
    taken = " ".join(after[: after.index("base_url = none (default)")])
    takers = " ".join(taken.split()).rstrip(".").partition("Taken by ")[2].split(", ")
    assert {"start", "evaluate", "estimate", "doctor", "settings", "audit"} <= {*takers}


def test_a_mistake_in_the_file_is_told_with_its_place(deepassay, tmp_path):
    (tmp_path / "assay.toml").write_text("[protocol.fact]\ntemperature = 'hot'\n")
    done = deepassay("settings")
    assert done.returncode == 2
    assert done.stderr == (
        "deepassay: assay.toml: [protocol.fact] temperature = 'hot' is not possible.\n"
        "  Give a number from 0 on.\n"
    )


def test_the_file_sets_whatever_evaluate_takes(deepassay, small, tmp_path):
    text = 'protocols = ["depth"]\nbaseline = "heron"\n[protocol.depth]\nbaseline = "magpie"\n'
    (tmp_path / "assay.toml").write_text(text)
    done = deepassay("settings")
    assert "baseline = heron (file)" in done.stdout.splitlines()
    assert "[protocol.depth] baseline = magpie (file)" in done.stdout.splitlines()
