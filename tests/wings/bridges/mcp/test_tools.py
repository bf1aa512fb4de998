"""The tools for agents: asked by the SDK's own client, over standard input and in a process."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from deepassay.errors import BadSetting
from deepassay.run.settings import Settings
from deepassay.wings.bridges.mcp.service import (
    LONGEST,
    MOST_CHARACTERS,
    ROWS,
    ReportTools,
    protocols_offered,
)
from deepassay.wings.bridges.mcp.tools import server_of

REPORT = "# Sky\n\nAir scatters blue light [1]. It is far [2].\n\n## References\n\n" + "\n".join(
    f"[{n}] Page {n}, https://sky.example/{n}" for n in (1, 2)
)
MILL = " ".join(f"Mill {n} turned until {1900 + n}, when its pond was drained." for n in range(20))
PAGES = [
    {"url": "https://sky.example/1", "text": "As is known, air scatters blue light more."},
    {
        "url": "https://sky.example/2",
        "text": MILL,
    },
]


def tools(**given):
    given.setdefault("settings", Settings())
    return ReportTools(protocols_offered(given.pop("protocols", ())), **given)


def asked(service, *calls):
    """What a client in this process is answered: contents, or the text of an error."""

    async def work():
        async with Client(server_of(service)) as client:
            return [told(await client.call_tool(name, about)) for name, about in calls]

    return asyncio.run(work())


def told(result):
    return result.content[0].text if result.is_error else result.structured_content


def test_a_client_over_standard_input_is_served_by_the_command(repository, tmp_path):
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "sky.md").write_text(REPORT, "utf-8")
    words = ["mcp", "--folder", "reports", "--protocol", "coverage"]
    server = StdioServerParameters(
        command="deepassay", args=words, cwd=str(tmp_path), env=dict(os.environ)
    )

    async def work():
        async with Client(server) as client:
            listed = {each.name: each for each in (await client.list_tools()).tools}
            score = {"protocol": "coverage", "prompt": "Why is the sky blue?", "file": "sky.md",
                     "checklist": ["Is scattering named?", "Is the moon named?"]}  # fmt: skip
            return listed, [
                told(await client.call_tool(name, about))
                for name, about in (
                    ("lint", {"file": "sky.md"}),
                    ("statements", {"report": REPORT}),
                    ("check", {"report": REPORT, "pages": PAGES}),
                    ("score", score),
                    ("score", {**score, "protocol": "race"}),
                    ("lint", {"file": "../secret.md"}),
                )
            ]

    listed, (lint, statements, check, score, race, escape) = asyncio.run(work())
    assert sorted(listed) == ["check", "lint", "score", "statements"]
    schema = listed["score"].input_schema["properties"]["protocol"]
    assert schema.get("enum", [schema.get("const")]) == ["coverage"]
    assert all(each.annotations.read_only_hint for each in listed.values())
    assert {each["code"] for each in lint["findings"]} and lint["next"] is None
    assert statements["statements"][0]["cites"] == ["https://sky.example/1"]
    assert [each["verdict"] for each in check["items"]] == ["supported", "unsupported"]
    assert check["value"] == 0.5 and check["offline"]
    assert score["value"] in (0.0, 50.0, 100.0) and score["recipe"].startswith("protocol:coverage")
    assert not score["tells_good_from_bad"]
    assert "coverage" in race and "race" in race
    assert "in the folder" in escape


@pytest.mark.parametrize(
    "name", ["../secret.md", "/etc/passwd", "link.md", "a/../../secret.md", "", ".", "no.md",
             "a\x00b", "dir", "bytes.md", "x" * 5000]
)  # fmt: skip
def test_what_is_outside_of_the_folder_or_no_text_is_refused(tmp_path, name):
    folder = tmp_path / "folder"
    (folder / "dir").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("# A secret\n")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "bytes.md").write_bytes(b"\xff\xfe\x00")
    (said,) = asked(tools(folder=folder), ("lint", {"file": name}))
    assert "file" in said and "secret." not in said.replace(name, "")


def test_without_a_folder_no_file_is_read():
    said, both, large = asked(
        tools(),
        ("statements", {"file": "a.md"}),
        ("statements", {"file": "a.md", "report": "x"}),
        ("statements", {"report": "x" * (MOST_CHARACTERS + 1)}),
    )
    assert "reads no files" in said and "one of the two" in both and "1,000,000" in large


def test_criteria_that_are_too_much_are_refused():
    ask = {"protocol": "coverage", "prompt": "?", "report": REPORT, "checklist": ["x" * 10**6]}
    (said,) = asked(tools(), ("score", ask))
    assert "1,000,000 characters" in said


@pytest.mark.parametrize("name", ["os:system", "metric.yaml", "race(vanilla=True)", "nothing"])
def test_only_registered_protocols_are_offered(name):
    with pytest.raises(BadSetting, match="registered protocols alone"):
        protocols_offered([name])
    (said,) = asked(tools(), ("score", {"protocol": name, "prompt": "?", "report": REPORT}))
    assert isinstance(said, str) and "presentation" in said


def test_long_answers_come_in_pages_of_bounded_rows():
    report = "".join(f"The meter of house {n} shows {'kWh ' * 200}.\n\n" for n in range(90))
    first, second, last = asked(
        tools(), *(("statements", {"report": report, "start": n}) for n in (0, ROWS, 80))
    )
    assert (first["of"], first["next"], len(first["statements"])) == (90, ROWS, ROWS)
    assert second["next"] == 2 * ROWS and last["next"] is None and len(last["statements"]) == 10
    assert all(len(each["statement"]) <= LONGEST for each in first["statements"])
    ask = {"protocol": "coverage", "prompt": "?", "report": REPORT}
    ask["checklist"] = [f"Is part {n} there?" for n in range(50)]
    score, rest = asked(tools(), ("score", ask), ("score", {**ask, "start": ROWS}))
    assert (score["next"], len(score["items"]), len(rest["items"])) == (ROWS, ROWS, 10)
    assert score["value"] == rest["value"]


def test_unscored_is_an_answer_with_its_cause():
    (said,) = asked(tools(), ("score", {"protocol": "coverage", "prompt": "?", "report": REPORT}))
    assert isinstance(said, str) or said["unscored"] == "missing_input"
    (said,) = asked(
        tools(),
        ("score", {"protocol": "presentation", "prompt": "?", "report": "  "}),
    )
    assert said["value"] is None and said["unscored"] == "missing_input"


def by(judge, **more):
    return Settings(judge=("openai:good",), base_url=judge.base_url, **more)


def test_the_budget_holds_for_as_long_as_the_server_runs(judge, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    prices = tmp_path / "prices.toml"
    prices.write_text('["openai:good"]\ninput = 10\noutput = 10\n')
    service = tools(settings=by(judge, prices=prices, max_output=100), budget=0.05)
    ask = {"protocol": "presentation", "prompt": "Why is the sky blue?"}
    calls = [("score", {**ask, "report": f"{REPORT}\n\nEdition {n}.\n"}) for n in range(12)]
    answers = asked(service, *calls)
    scored = [each for each in answers if isinstance(each, dict) and each["value"] is not None]
    assert 0 < len(scored) < len(answers)
    assert service.spent <= 0.05
    assert scored[0]["left_usd"] == pytest.approx(0.05 - scored[0]["spent_usd"])
    later = answers[-1]
    assert "budget" in (later if isinstance(later, str) else later["unscored"] + later["why"])


def test_the_same_call_is_not_paid_twice(judge, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    service = tools(settings=by(judge, allow_unpriced=True))
    call = ("score", {"protocol": "presentation", "prompt": "?", "report": REPORT})
    first, second = asked(service, call, call)
    assert first == second and first["value"] is not None
    assert not first["offline"] and judge.count("good") == 1


def test_a_long_call_says_that_it_goes_on_and_is_answered_when_asked_again(judge, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    service = tools(settings=by(judge, allow_unpriced=True), waits=0.2)
    call = ("score", {"protocol": "presentation", "prompt": "?", "report": REPORT})
    judge.hold()

    async def work():
        async with Client(server_of(service)) as client:
            begun = told(await client.call_tool(*call))
            judge.release()
            for _ in range(50):
                ended = told(await client.call_tool(*call))
                if "state" not in ended:
                    break
            return begun, ended

    begun, ended = asyncio.run(work())
    assert begun["state"] == "running" and "same arguments" in begun["next"]
    assert ended["value"] is not None and judge.count("good") == 1


def test_pages_of_one_call_are_not_there_for_the_next():
    with_pages, without = asked(
        tools(), ("check", {"report": REPORT, "pages": PAGES}), ("check", {"report": REPORT})
    )
    assert with_pages["value"] == 0.5
    assert without["value"] is None and without["unscored"] == "not_archived"


def test_pages_that_are_none_are_refused():
    (said,) = asked(tools(), ("check", {"report": REPORT, "pages": [{"url": "", "text": "y"}]}))
    assert isinstance(said, str)


def test_without_the_extra_the_command_says_so(deepassay, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "mcp"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "deepassay.wings.bridges.mcp.tools", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    done = deepassay("mcp")
    assert done.returncode == 2 and "deepassay[mcp]" in done.stderr


def test_a_folder_that_is_not_there_is_told(deepassay):
    done = deepassay("mcp", "--folder", "none")
    assert done.returncode == 2 and "no such folder" in done.stderr
    done = deepassay("mcp", "--protocol", "os:system")
    assert done.returncode == 2 and "registered" in done.stderr
    assert not Path("run.assay").exists()
