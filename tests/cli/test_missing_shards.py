"""What is read off two shards of three says so, once, whatever is asked of them."""

import pytest

from .several import AGENTS, lay_out

PROTOCOLS = ("--protocol", "coverage", "--protocol", "rubrics", "--date", "2026-11-20")


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    tasks = lay_out(tmp_path_factory.mktemp("shards") / "set")
    return tasks, [tasks.parent / agent for agent in AGENTS]


@pytest.fixture
def merged(deepassay, given, tmp_path):
    """Merge so many of three shards."""

    def merge(count):
        shards = [tmp_path / f"{number}.assay" for number in range(1, count + 1)]
        for number, shard in enumerate(shards, 1):
            terms = (*PROTOCOLS, "--shard", f"{number}/3", "--run", shard)
            assert deepassay("evaluate", given[0], *given[1], *terms).returncode == 0
        target = tmp_path / "merged.assay"
        assert deepassay("merge", *shards, "-o", target).returncode == 0
        return target

    return merge


ASKED = (
    ("leaderboard",),
    ("leaderboard", "--lengths"),
    ("leaderboard", "--as", "rubrics:table5"),
    ("leaderboard", "--as", "rubrics:table9"),
    ("leaderboard", "--as", "rubrics:table8"),
    ("compare",),
    ("export", "--format", "csv"),
    ("html", "-o", "page.html"),
)


@pytest.mark.parametrize("count", [2, 3])
def test_a_part_of_a_run_says_so(deepassay, merged, count):
    run = merged(count)
    for command, *more in ASKED:
        done = deepassay(command, run, *more)
        said = "merged.assay holds 2 of 3 shards of `evaluate`; not 3/3"
        assert " ".join(done.stderr.split()).count(said) == (count == 2), (command, more)
