"""What is offered was tried: it can be followed, and says what it comes to."""

import json
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deepassay.errors import BadInput, BadTasks, Notice
from deepassay.tasks.loaders import load_tasks
from tests.intake.test_choices import (
    AGENTS,
    ASKED,
    LONG,
    offered,
    planned,
    sheet,
    tables,
    told,
    written,
)
from tests.intake.test_tables import workbook

pytestmark = pytest.mark.filterwarnings("ignore::deepassay.errors.Notice")

RIGHT = {(a, q, t) for q, a, t in LONG}


def document(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tables(), st.sampled_from(["csv", "json"]))
def test_every_line_that_is_offered_is_read_as_it_says(tmp_path, table, ending):
    rows = [dict(row.fields) for row in table[0]]
    path = tmp_path / f"a.{ending}"
    if ending == "csv":
        path.write_text(written([[*rows[0]], *(list(row.values()) for row in rows)]))
    else:
        document(path, rows)
    with pytest.raises(BadInput) as caught:
        planned(path)
    notes = [line.rpartition("  (")[2] for line in caught.value.remedy.split("\n")[1:]]
    lines = offered(path)
    assert planned(path, lines[0]) == RIGHT
    for line, note in zip(lines, notes, strict=True):
        if "refused as yet: " in note:
            continue
        found = planned(path, line)
        assert note.endswith(")") and f"{len(found)} reports of" in note


def test_columns_that_say_the_same_in_other_words_are_not_asked_about(tmp_path):
    said = [
        [{"role": "user", "content": q}, {"role": "assistant", "content": t}] for q, _, t in LONG
    ]
    rows = [
        {"model": a, "input": q, "output": f" {t}", "messages": each}
        for (q, a, t), each in zip(LONG, said, strict=True)
    ]
    assert {(a, q, t.strip()) for a, q, t in planned(document(tmp_path / "a.json", rows))} == RIGHT
    rows[0]["output"] = "It was never asked, says tern."
    assert len(offered(document(tmp_path / "a.json", rows))) > 1


def test_what_all_agents_would_have_written_stands_last(tmp_path):
    rows = [[q, a, f"It was {q[5:]} as every atlas of the coast says.", t] for q, a, t in LONG]
    path = sheet(tmp_path, [["question", "agent", "answer", "prediction"], *rows])
    first, *others = offered(path)
    assert (first, others[-1]) == ("report=prediction", "report=answer")
    assert planned(path, first) == RIGHT


def test_the_likeliest_way_that_a_cell_stands_against_stands_last_with_what_that_is(tmp_path):
    rows = [[q, a, t, f"{t} Or so."] for q, a, t in LONG]
    rows[-1][3] = 7
    table = [dict(zip(("question", "agent", "first", "second"), e, strict=True)) for e in rows]
    with pytest.raises(BadInput) as caught:
        planned(document(tmp_path / "a.json", table))
    lines = caught.value.remedy.split("\n")[1:]
    assert "report=first  " in lines[0]
    assert [each for each in lines if "refused as yet" in each] == lines[-1:]
    assert "'second' is a number and no report" in lines[-1]


def completion(agent, text):
    return {"model": agent, "choices": [{"message": {"role": "assistant", "content": text}}]}


def test_answers_of_providers_are_offered_as_the_report_whatever_their_column_is_called(tmp_path):
    asks = [{"model": a, "messages": [{"role": "user", "content": q}]} for q, a, _ in LONG]
    logged = [
        [a, json.dumps(ask), json.dumps(completion(a, t))]
        for ask, (_, a, t) in zip(asks, LONG, strict=True)
    ]
    path = sheet(tmp_path, [["model", "request_body", "what came back"], *logged])
    (only,) = offered(path)
    assert only == "report=what came back"
    assert planned(path, only) == RIGHT


def test_a_sheet_of_notes_beside_wide_ones_hides_none_of_their_ways(tmp_path):
    pytest.importorskip("python_calamine")
    notes = [["Three systems were asked in May."], ["All were asked once, by two of us, says Ann."]]
    wide = [["prompt", *AGENTS], *([q, *(told(a, n) for a in AGENTS)] for n, q in enumerate(ASKED))]
    longer = [wide[0], *([q, *(f"{t} Or so." for t in texts)] for q, *texts in wide[1:])]
    right = {(a, q, told(a, n)) for n, q in enumerate(ASKED) for a in AGENTS}
    path = workbook(tmp_path / "a.xlsx", {"notes": notes, "May": wide})
    assert planned(path, offered(path)[0]) == right
    path = workbook(tmp_path / "b.xlsx", {"notes": notes, "May": wide, "April": longer})
    ways = [each for each in offered(path) if each.startswith("sheet=")]
    assert ways[0] == "sheet=May,report=tern,report=auk"
    assert planned(path, ways[0]) == right


@pytest.mark.parametrize("ending", ["jsonl", "json"])
@pytest.mark.parametrize(
    "failed",
    [
        {"response": {"status_code": 500, "body": {"error": {"message": "no luck"}}}},
        {"response": None, "error": {"code": "batch_expired", "message": "no luck"}},
        {"result": {"type": "errored", "error": {"type": "api_error", "message": "no luck"}}},
    ],
)
def test_requests_of_a_batch_that_failed_are_left_out_and_counted(tmp_path, failed, ending):
    tasks = sheet(tmp_path, [["id", "prompt"], *([f"t{n}", q] for n, q in enumerate(ASKED))])
    for agent in AGENTS:
        rows = [
            {"custom_id": f"t{ASKED.index(q)}", "response": {"body": completion(a, t)}}
            for q, a, t in LONG
            if a == agent
        ]
        rows[1] = {"custom_id": rows[1]["custom_id"], **failed} if agent == "tern" else rows[1]
        out = tmp_path / "out" / f"{agent}.{ending}"
        document(out, rows)
        if ending == "jsonl":
            out.write_text("\n".join(map(json.dumps, rows)))
    with pytest.warns(Notice, match=r"1 of \d answers failed and are left out, .*: 'no luck'"):
        found = planned(tasks, reports=tmp_path / "out")
    assert len(RIGHT - found) == 1 and found < RIGHT


@pytest.mark.parametrize("name", ["{} run {}", "{}_{}", "{} (attempt {})", "{}-v{}"])
def test_numbers_behind_names_of_columns_may_count_answers(tmp_path, name):
    columns = [(a, n) for a in AGENTS for n in (1, 2)][:-1]
    rows = [[q, *(told(f"{a}{n}", q) for a, n in columns)] for q in ASKED]
    path = sheet(tmp_path, [["question", *(name.format(a, n) for a, n in columns)], *rows])
    if "(" in name:  # which is no number at the end
        assert not any("(end of agent)" in each for each in offered(path))
        return
    assert (name == "{}-v{}") == offered(path)[0].endswith(",sample=")  # versions are agents
    first, second = sorted(offered(path)[:2], key=lambda each: each.endswith("="))
    assert first.endswith(",sample=(end of agent)") and second.endswith(",sample=")
    assert {agent for agent, _, _ in planned(path, first)} == {*AGENTS}
    assert len({agent for agent, _, _ in planned(path, second)}) == 3


@pytest.mark.parametrize("name", ["run {}", "Report (attempt {})", "Lauf{}", "seed_{}"])
def test_columns_that_are_called_as_answers_are_numbered_are_rather_of_one_agent(tmp_path, name):
    rows = [[q, *(told("tern", n * 7 + at) for at in range(3))] for n, q in enumerate(ASKED)]
    path = sheet(tmp_path, [["question", *(name.format(n) for n in (1, 2, 3))], *rows])
    first = offered(path)[0]
    assert first.endswith("sample=(order)")
    assert {agent for agent, _, _ in planned(path, first)} == {"a"}


def test_agents_of_any_name_that_are_only_numbered_are_agents(tmp_path):
    rows = [[q, f"Agent {AGENTS.index(a) + 1}", t] for q, a, t in LONG]
    path = sheet(tmp_path, [["question", "agent", "answer"], *rows])
    assert {agent for agent, _, _ in planned(path)} == {"Agent 1", "Agent 2"}


def test_answers_by_question_are_reports_and_of_files_each_is_an_agent(tmp_path):
    for agent in AGENTS:
        document(tmp_path / "r" / f"{agent}.json", {q: t for q, a, t in LONG if a == agent})
    assert planned(tmp_path / "r") == RIGHT
    one = tmp_path / "r" / "tern.json"
    assert planned(one, reports=tmp_path / "r" / "auk.json") == {e for e in RIGHT if e[0] == "auk"}
    document(one, {f"{n} storms gulls tides": t for n, (_, _, t) in enumerate(LONG)})
    assert len(planned(one)) == 6
    with pytest.raises(BadTasks, match="'title' and 'text by name' may each be the prompt"):
        load_tasks(one)  # it may be prompts by title


def test_of_several_bots_in_a_thread_each_gave_an_answer(tmp_path):
    for day, asked in enumerate(ASKED):
        first = {"user": "U1", "text": asked, "thread_ts": f"{day}.1"}
        bots = [
            {"bot_id": "B", "username": a, "text": t, "thread_ts": f"{day}.1"}
            for q, a, t in LONG
            if q == asked
        ]
        document(tmp_path / "s" / "channel" / f"2026-11-1{day}.json", [first, *bots])
    assert planned(tmp_path / "s") == RIGHT


def test_a_conversation_in_a_file_of_its_own_is_one_row(tmp_path):
    for number, (q, a, t) in enumerate(LONG):
        messages = [
            {"messageId": "1", "sender": "User", "text": q},
            {"messageId": "2", "parentMessageId": "1", "sender": "Bot", "text": t, "model": a},
        ]
        chat = {"conversationId": str(number), "title": f"Chat {number}", "messages": messages}
        document(tmp_path / "chats" / f"Chat {number}.json", chat)
    assert planned(tmp_path / "chats") == RIGHT


def test_lists_in_rows_are_read_whole_where_some_have_one_entry(tmp_path):
    runs = [
        {
            "system": a,
            "attempts": [{"n": n, "report": f"{t} {n}"} for n in range(1, 2 + (a == "auk"))],
        }
        for _, a, t in LONG
    ]
    every = [
        {"id": str(n), "prompt": q, "runs": runs[2 * n : 2 * n + 2]} for n, q in enumerate(ASKED)
    ]
    path = document(tmp_path / "a.json", {"tasks": every})
    assert offered(path)[0] == "sample=n"
    found = planned(path, "sample=n")
    assert found == {(a, q, f"{t} {n}") for q, a, t in LONG for n in range(1, 2 + (a == "auk"))}


def test_two_files_of_the_same_content_are_one_table(tmp_path):
    for name in ("runs.csv", "runs_all.csv"):
        (tmp_path / name).write_text(written([["prompt", "agent", "report"], *LONG]))
    assert planned(tmp_path) == RIGHT


@pytest.mark.parametrize(
    "date", ["April {}, 2026 10:12 AM", "{}. März 2026", "Mon, {} Apr 2026 10:12:00 +0200",
             "{} de abril de 2026", "2026年4月{}日 10:12"],
)  # fmt: skip
def test_no_column_of_dates_is_offered_as_the_report(tmp_path, date):
    rows = [[q, a, date.format(n)] for n, (q, a, _) in enumerate(LONG, 1)]
    with pytest.raises(BadInput) as caught:
        planned(sheet(tmp_path, [["Task", "Agent", "Created"], *rows]))
    assert "report=Created" not in caught.value.remedy


def test_prompts_that_programs_typed_otherwise_are_one(tmp_path):
    asked = [
        f'What’s “known” – of {each}s in the town’s "{each}" house?' for each in ("gull", "tern")
    ]
    plain = [each.translate({0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-"}) for each in asked]
    rows = [
        [p, a, told(a, p)]
        for one, other in zip(asked, plain, strict=True)
        for p, a in ((one, "tern"), (other, "auk"))
    ]
    path = sheet(tmp_path, [["prompt", "agent", "report"], *rows])
    with pytest.warns(Notice, match="2 prompts differ from others in marks"):
        found = planned(path)
    assert {prompt for _, prompt, _ in found} == {*asked} and len(found) == 4
    tasks = sheet(tmp_path, [["prompt"], *([each] for each in plain)], "tasks.csv")
    assert len(planned(tasks, reports=path)) == 4


def test_a_row_that_stands_there_twice_is_no_other_answer(tmp_path):
    rows = [[q, "tern", f"{t} {n}", f"10:0{n}"] for q, _, t in LONG[::2] for n in (1, 2)]
    rows += [rows[0], [*rows[1][:3], "11:00"]]
    path = sheet(tmp_path, [["prompt", "agent", "report", "at"], *rows])
    (line,) = offered(path)
    with pytest.warns(Notice, match="came again with the same text, and count once: 1"):
        planned(path, line)
    plan = [each for each in rows if each[0] == ASKED[0]]
    assert len(plan) == 4  # of which one is a copy, and one the same answer at another time


def test_of_lines_that_come_to_the_same_the_one_is_offered_that_says_what_it_means(tmp_path):
    (tmp_path / "prompts.txt").write_text("\n".join(ASKED))
    for (q, a, t), day in product(LONG, ("2026-11-03", "2026-11-10")):
        folder = tmp_path / "runs" / a / day
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"q{ASKED.index(q) + 1}.md").write_text(f"{t} Seen on {day}.")
    lines = offered(tmp_path / "prompts.txt", tmp_path / "runs")
    assert lines[0] == "agent=(folder 1),sample=(folder 2)"
    assert not any("agent=(file)" in line for line in lines)


def test_a_column_of_remarks_that_holds_names_is_asked_about(tmp_path):
    rows = [["tern" if n % 2 else "auk", q, t] for n, (q, _, t) in enumerate(LONG[::2] * 2)]
    rows = [[a, f"{q} {n}", t] for n, (a, q, t) in enumerate(rows)]
    path = sheet(tmp_path, [["Notes", "question", "answer"], *rows])
    assert offered(path) == ["agent=", "agent=Notes"]


def test_two_columns_may_name_the_agent_together(tmp_path):
    every = [(a, style) for a in AGENTS for style in ("terse", "long-form")]
    rows = [[q, a, style, told(f"{a} {style}", q)] for q in ASKED for a, style in every]
    path = sheet(tmp_path, [["prompt", "model", "wording", "report"], *rows])
    first, *_ = offered(path)
    assert first == "agent=model,agent=wording"
    assert {agent for agent, _, _ in planned(path, first)} == {" ".join(each) for each in every}


def test_where_no_way_can_be_followed_it_is_said_why_not_the_likeliest(tmp_path):
    rows = [["tern", "gulls", "50", "good coverage"], ["auk", "gulls", "40", "rather thin"]]
    path = sheet(tmp_path, [["agent", "task", "score", "said"], *rows])
    with pytest.raises(BadInput, match="No way to read it works; by --columns prompt=said") as no:
        planned(path)
    assert "--columns" not in no.value.remedy and "add one named report" in no.value.remedy


def test_a_table_deep_in_a_folder_is_offered_where_nothing_else_works(tmp_path):
    rows = [{"title": f"Asked {q}", "html": f"<p>{t}</p>"} for q, _, t in LONG[::2]]
    document(tmp_path / "Takeout" / "My Activity" / "Chats" / "Activity.json", rows)
    (tmp_path / "Takeout" / "index.html").write_text("<h1>Your data</h1>")
    first, *_ = offered(tmp_path / "Takeout")
    assert first.startswith("sheet=My Activity/Chats/Activity.json,prompt=title,report=html")
    assert {prompt for _, prompt, _ in planned(tmp_path / "Takeout", first)} == {*ASKED}


def test_messages_of_which_each_has_versions_are_a_conversation(tmp_path):
    for number, (q, a, t) in enumerate(LONG):
        ask = {"type": "singleStep", "role": "user", "content": [{"type": "text", "text": q}]}
        step = [{"type": "text", "text": t}]
        thought = {"type": "contentBlock", "style": {"type": "thinking"}, "content": [*step, *step]}
        answer = {
            "role": "assistant",
            "senderInfo": {"senderName": a},
            "steps": [thought, {"type": "contentBlock", "content": step}],
        }
        messages = [
            {"versions": [ask], "currentlySelected": 0},
            {"versions": [{**answer, "steps": [thought]}, answer], "currentlySelected": 1},
        ]
        chat = {"name": "A chat", "messages": messages}
        document(tmp_path / "chats" / f"{number}.conversation.json", chat)
    assert planned(tmp_path / "chats") == RIGHT


def test_prompts_that_agents_were_asked_in_other_marks_are_one(tmp_path):
    for agent, typed in (("tern", lambda q: q), ("auk", lambda q: f" {q.lower()}".rstrip("?"))):
        lines = [json.dumps({"prompt": typed(q), "answer": t}) for q, a, t in LONG if a == agent]
        path = tmp_path / "r" / f"{agent}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines))
    assert len({prompt for _, prompt, _ in planned(tmp_path / "r")}) == 3
    rows = [[n, q, "tern", t] for n, (q, _, t) in enumerate(LONG[:1])]
    rows += [[7, rows[0][1].rstrip("?"), "tern", "It is another task, as it says."]]
    path = sheet(tmp_path, [["task_id", "prompt", "agent", "report"], *rows])
    assert len({prompt for _, prompt, _ in planned(path)}) == 2  # each has an identifier


def test_questions_of_a_form_are_prompts_beside_others_with_short_answers(tmp_path):
    head = ["Which tool did you use?", *(f"{each} In a few pages, please." for each in ASKED)]
    rows = [[a, *(t * 2 for q, b, t in LONG if a == b)] for a in AGENTS]
    path = sheet(tmp_path, [head, *rows])
    first, *_ = offered(path)
    assert first == "prompt=(head),agent=Which tool did you use?"
    assert len(planned(path, first)) == 6


def test_columns_are_hardly_an_agent_each_where_one_names_several(tmp_path):
    rows = [[q, a, *(told(f"{a}{at}", q) for at in (1, 2))] for q in ASKED for a in AGENTS]
    path = sheet(tmp_path, [["question", "agent", "before review", "after review"], *rows])
    lines = offered(path)
    assert {len(each.split("report=")) for each in lines[:1]} == {2} and len(lines) < 5
    assert {agent for agent, _, _ in planned(path, lines[0])} == {*AGENTS}
    rows = [[q, "gpt", told("tern", q), told("auk", q)] for q in ASKED]
    path = sheet(tmp_path, [["question", "model", "tern says", "auk says"], *rows])
    assert "report=tern says,report=auk says" in offered(path)


@pytest.mark.parametrize("above", [["As of 28/10"], ["As of 28/10", "by M"]])
def test_scores_may_share_a_name_and_what_stands_above_a_gap_is_no_group(tmp_path, above):
    head = ["id", "question", "tern", "Score", "auk", "Score"]
    texts = {(q, a): t for q, a, t in LONG}
    rows = [[n, q, texts[q, "tern"], 3, texts[q, "auk"], "4.5"] for n, q in enumerate(ASKED)]
    top = [["Round of October"], above, *[[]] * len(above[1:])]
    top = [[*each, *[""] * (len(head) - len(each))] for each in top]
    path = sheet(tmp_path, [*top, head, *rows])
    assert planned(path, offered(path)[0]) == RIGHT
    texts_alike = sheet(tmp_path, [["id", "question", "answer", "answer"], ["1", *LONG[0]]])
    with pytest.raises(BadInput, match="line 1: the column 'answer' stands there twice"):
        planned(texts_alike)


def test_sheets_that_ask_other_things_are_one_table_first_and_those_that_ask_again_an_agent(
    tmp_path,
):
    pytest.importorskip("python_calamine")
    wide = [[q, *(told(a, n) for a in AGENTS)] for n, q in enumerate(ASKED)]
    head = ["Question", *(f"Answers {a}" for a in AGENTS)]
    apart = {"Ann": [head, *wide[:1]], "Bo": [head, *wide[1:]]}
    path = workbook(tmp_path / "a.xlsx", apart)
    assert planned(path, offered(path)[0]) == RIGHT
    with pytest.warns(Notice, match="other sheets are left out: 'Bo'"):
        planned(path, "sheet=Ann,report=Answers tern,report=Answers auk")
    again = {a: [["Question", "What it said"], *([q, told(a, n)] for n, q in enumerate(ASKED))]
             for a in AGENTS}  # fmt: skip
    path = workbook(tmp_path / "b.xlsx", again)
    assert planned(path, offered(path)[0]) == RIGHT


@pytest.mark.parametrize("gap", ["", "Well said, on the whole and in part."])
def test_a_sheet_of_tasks_beside_sheets_of_agents_has_the_prompts(tmp_path, gap):
    pytest.importorskip("python_calamine")
    notes = ["Check the figures in it once more.", gap, "Its sources are old and far too few."]
    own = {
        a: [["No.", "Answer", "Thoughts"], *([n, told(a, n), notes[n]] for n in range(3))]
        for a in AGENTS
    }
    asks = [["No.", "Assignment", "By"], *([n, q, "Sato"] for n, q in enumerate(ASKED))]
    path = workbook(tmp_path / "a.xlsx", {"Cover": [["Comparison"]], "All": asks, **own})
    ways = offered(path)
    right = "prompt=Assignment,report=Answer,agent=(sheet)"
    assert right in ways and (gap or ways[0] == right)
    assert planned(path, right) == RIGHT
