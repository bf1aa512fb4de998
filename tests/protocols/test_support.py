import asyncio
import json

import pytest

from deepassay.models.ask import OFFLINE, OfflineAsker, ReplayAsker, key_of
from deepassay.models.reading import Unreadable, read_reply
from deepassay.models.usage import overlapping_parts
from deepassay.protocols import support
from deepassay.protocols.support import JUDGE_SUPPORT, PageAndStatements, verdicts_on
from deepassay.runfile import RunFile, StoredAnswer
from deepassay.score import Cause, Unscored
from deepassay.sources.page import Page
from tests.protocols.fact.web import Model, Rows
from tests.quoted import GREW, PAGE

ELSEWHERE = "Ferries to Norway carried 40 buses in autumn."


def ask(statements, model, rows, text=PAGE, **more):
    page = Page("https://a.example/", text)
    return asyncio.run(verdicts_on(page, statements, model, rows, language="en", **more))


def verdict(statement=1, verdict="supported", quote="grew to 3.5 GW"):
    return {"statement": statement, "verdict": verdict, "quote": quote}


def answered(*verdicts, statements=("a",), page=PAGE):
    inputs = PageAndStatements(language="en", page=page, statements=statements)
    return read_reply(JUDGE_SUPPORT, inputs, json.dumps({"verdicts": list(verdicts)}))


def test_the_prompts_fit_the_operation():
    JUDGE_SUPPORT.verify()


@pytest.mark.parametrize(
    "verdicts",
    [
        [],
        [verdict(2)],
        [verdict(1), verdict(1)],
        [verdict(1), verdict(2)],
        [verdict(verdict="Supported")],
        [verdict(verdict="partially supported")],
    ],
)
def test_an_answer_that_is_not_one_verdict_a_statement_is_refused(verdicts):
    with pytest.raises(Unreadable):
        answered(*verdicts)


@pytest.mark.parametrize("quote", ["grew to 9.5 GW", ""])
def test_support_without_a_true_quote_stands_without_it(quote):
    inputs = PageAndStatements(language="en", page=PAGE, statements=("a",))
    said = answered(verdict(quote=quote)).value
    assert "do not stand on the page: 1" in JUDGE_SUPPORT.quotes(inputs, said)
    found = ask(["a"], Model(lambda *_: {"verdicts": [verdict(quote=quote)]}), Rows())["a"]
    assert (found.verdict, found.quote) == ("supported", "")


def test_no_support_needs_no_quote_and_a_false_one_is_dropped():
    assert answered(verdict(verdict="unsupported", quote="")).value
    model = Model(lambda *_: {"verdicts": [verdict(verdict="unsupported", quote="not there")]})
    assert ask(["a"], model, Rows())["a"].quote == ""


def test_by_rule_a_statement_in_words_of_the_page_is_supported_and_another_is_not():
    found = ask([GREW, ELSEWHERE], Model(), Rows())
    assert (found[GREW].verdict, found[ELSEWHERE].verdict) == ("supported", "unsupported")
    assert found[GREW].quote in PAGE


def test_by_rule_a_page_with_half_characters_and_fences_can_be_judged():
    found = ask([GREW], Model(), Rows(), text=f"\ud800 <<<END page\n{PAGE}")
    assert found[GREW].verdict == "supported"


def test_all_statements_of_a_page_are_one_question():
    model = Model()
    ask([GREW, ELSEWHERE, GREW, "Solar output grew."], model, Rows())
    assert [inputs.statements for _, inputs in model.asked] == [
        (GREW, ELSEWHERE, "Solar output grew.")
    ]


def test_what_was_asked_is_found_and_only_the_rest_is_asked():
    model, rows = Model(), Rows()
    first = ask([GREW], model, rows)
    both = ask([GREW, ELSEWHERE], model, rows)
    assert [inputs.statements for _, inputs in model.asked] == [(GREW,), (ELSEWHERE,)]
    assert both[GREW] == first[GREW]


@pytest.mark.parametrize("change", ["judge", "repeat", "page", "language"])
def test_another_judge_repeat_page_or_prompt_is_another_row(change):
    model, rows = Model(), Rows()
    other = Model(name="another" if change == "judge" else "in memory")
    ask([GREW], model, rows)
    page = Page("https://a.example/", PAGE + "More." * (change == "page"))
    asyncio.run(
        verdicts_on(
            page,
            [GREW],
            other,
            rows,
            language="zh" if change == "language" else "en",
            repeat=int(change == "repeat"),
        )
    )
    assert len(other.asked) == 1 and len(rows.rows) == 2


def test_the_address_of_a_page_does_not_matter_only_its_text():
    model, rows = Model(), Rows()
    ask([GREW], model, rows)
    asyncio.run(verdicts_on(Page("https://b.example/", PAGE), [GREW], model, rows, language="en"))
    assert len(model.asked) == 1


def test_two_who_ask_at_the_same_time_pay_once():
    class Slow(Model):
        async def __call__(self, operation, inputs, *, repeat=0):
            await asyncio.sleep(0.01)
            return await super().__call__(operation, inputs, repeat=repeat)

    async def both():
        page = Page("https://a.example/", PAGE)
        asks = (verdicts_on(page, [GREW], model, rows, language="en") for _ in range(2))
        return await asyncio.gather(*asks)

    model, rows = Slow(), Rows()
    one, other = asyncio.run(both())
    assert one == other and len(model.asked) == 1


class InWaves(Model):
    """Answers when nothing new has been asked for a while, as a batch does; counts the waves."""

    def __init__(self, says=None):
        super().__init__(says)
        self.waves = 0
        self.open = []

    async def __call__(self, operation, inputs, *, repeat=0):
        answered = asyncio.get_running_loop().create_future()
        self.open.append(answered)
        if len(self.open) == 1:
            asyncio.get_running_loop().call_later(0.02, self.answer)
        await answered
        return await super().__call__(operation, inputs, repeat=repeat)

    def answer(self):
        self.waves += 1
        for answered in self.open:
            answered.set_result(None)
        self.open = []


def asked_at_once(model, rows, pages, reports):
    """What comes of reports, each a list of pages and its statements on them, all at a time."""

    async def all_of_them():
        return await asyncio.gather(
            *(
                verdicts_on(
                    Page("https://a.example/", pages[page]), said, model, rows, language="en"
                )
                for report in reports
                for page, said in report
            )
        )

    return asyncio.run(all_of_them())


SHARED = ["Storage grew everywhere.", "Wind is older than that."]
PAGES = [PAGE, f"{PAGE} Heat pumps sell well.", f"{PAGE} Rivers are low."]


def test_reports_about_one_page_wait_only_for_what_they_share():
    model, rows = InWaves(), Rows()
    reports = [
        [(page, [f"Agent {agent} says so of {page}.", *SHARED[: agent % 3]]) for page in range(3)]
        for agent in range(6)
    ]
    found = asked_at_once(model, rows, PAGES, reports)
    assert model.waves == 1
    alone = [asked_at_once(Model(), Rows(), PAGES, [report]) for report in reports]
    assert [{k: v.verdict for k, v in one.items()} for one in found] == [
        {k: v.verdict for k, v in one.items()} for some in alone for one in some
    ]
    # Nothing is asked twice, and what is asked of a page first is what its report says of it.
    asked = [(inputs.page, each) for _, inputs in model.asked for each in inputs.statements]
    assert len(asked) == len(set(asked)) == len(rows.rows) == 3 * (6 + 2)
    assert [inputs.statements for _, inputs in model.asked if inputs.page == PAGE][:3] == [
        ("Agent 0 says so of 0.",),
        ("Agent 1 says so of 0.", SHARED[0]),
        ("Agent 2 says so of 0.", SHARED[1]),
    ]


def test_reports_that_share_a_statement_each_with_the_next_are_one_wave():
    model, rows = InWaves(), Rows()
    chain = [[(0, [f"Fact {n}.", f"Fact {n + 1}."])] for n in range(10)]
    found = asked_at_once(model, rows, PAGES, [*chain[::2], *chain[1::2], *chain])
    assert model.waves == 1 and len(rows.rows) == 11
    assert found[:5] == found[10:19:2]


def test_what_failed_for_one_fails_for_those_who_waited_for_it_and_for_nothing_else():
    def says(_, inputs):
        return Cause.TIMEOUT if SHARED[0] in inputs.statements else None

    model, rows = InWaves(says), Rows()
    reports = [[(0, [f"Agent {agent} says so.", SHARED[0]])] for agent in range(4)]
    found = asked_at_once(model, rows, PAGES, reports)
    failed = Unscored(Cause.TIMEOUT, "told so")
    assert [one[SHARED[0]] for one in found] == [failed] * 4
    assert [one[f"Agent {n} says so."] == failed for n, one in enumerate(found)] == [
        n < 1 for n in range(4)
    ]
    company = ("Agent 0 says so.", SHARED[0])
    assert {i.statements for _, i in model.asked if SHARED[0] in i.statements} == {company}


@pytest.mark.parametrize("later", [0, 1])
def test_two_who_ask_again_what_failed_together_find_what_the_other_kept(later):
    class Slow(Model):
        async def __call__(self, operation, inputs, *, repeat=0):
            place = len(self.asked)
            answer = await super().__call__(operation, inputs, repeat=repeat)
            await asyncio.sleep(0.05 * (place == later))
            return answer

    async def both():
        page = Page("https://a.example/", PAGE)
        parts = ([GREW], [ELSEWHERE])
        return await asyncio.gather(
            *(verdicts_on(page, part, model, rows, language="en") for part in parts)
        )

    rows, model = Rows(), Slow()
    ask([GREW, ELSEWHERE], Model(lambda *_: Cause.TIMEOUT), rows)
    one, two = asyncio.run(both())
    assert one[GREW].verdict == "supported" and not isinstance(two[ELSEWHERE], Unscored)
    assert {inputs.statements for _, inputs in model.asked} == {(GREW, ELSEWHERE)}


def test_who_is_stopped_leaves_what_he_asked_about_to_those_who_wait():
    class Stopped(Model):
        async def __call__(self, operation, inputs, *, repeat=0):
            if not self.asked:
                self.asked.append("")
                await asyncio.sleep(60)
            return await super().__call__(operation, inputs, repeat=repeat)

    async def both():
        page = Page("https://a.example/", PAGE)
        first, *others = (
            asyncio.ensure_future(verdicts_on(page, said, model, rows, language="en"))
            for said in ([GREW, SHARED[0]], [ELSEWHERE, GREW], [SHARED[0]])
        )
        await asyncio.sleep(0.01)
        first.cancel()
        return await asyncio.gather(*others)

    model, rows = Stopped(), Rows()
    two, three = asyncio.run(both())
    assert two.keys() == {ELSEWHERE, GREW} and three.keys() == {SHARED[0]}
    assert len(rows.rows) == 3


def test_more_than_forty_statements_are_several_questions():
    model = Model()
    found = ask([f"Statement {number} about storage." for number in range(95)], model, Rows())
    assert [len(inputs.statements) for _, inputs in model.asked] == [40, 40, 15]
    assert len(found) == 95


def test_a_failed_call_leaves_its_statements_unscored():
    found = ask([GREW], Model(lambda *_: Cause.JUDGE_REFUSED), Rows())
    assert found[GREW] == Unscored(Cause.JUDGE_REFUSED, "told so")


def test_what_failed_is_asked_again_in_the_same_company_and_what_is_new_apart():
    rows, failing, model = Rows(), Model(lambda *_: Cause.TIMEOUT), Model()
    ask([GREW, ELSEWHERE], failing, rows)
    ask([ELSEWHERE, "Solar output grew."], failing, rows)
    ask([ELSEWHERE], model, rows)
    assert [inputs.statements for _, inputs in failing.asked] == [
        (GREW, ELSEWHERE),
        (GREW, ELSEWHERE),
        ("Solar output grew.",),
    ]
    assert [inputs.statements for _, inputs in model.asked] == [(GREW, ELSEWHERE)]


def test_after_a_retry_that_succeeds_nothing_is_asked_any_more():
    rows, model = Rows(), Model()
    ask([GREW, ELSEWHERE], Model(lambda *_: Cause.TIMEOUT), rows)
    ask([GREW], model, rows)
    again = Model()
    assert ask([GREW, ELSEWHERE], again, rows)[GREW].verdict == "supported" and not again.asked


def test_a_replay_of_two_who_share_a_failure_finds_it(tmp_path):
    page, company = (
        Page("https://a.example/", PAGE),
        ([GREW, ELSEWHERE], [ELSEWHERE, "Solar output grew."]),
    )

    async def both(judge, run):
        return [
            await verdicts_on(page, each, judge, run.verdicts, language="en") for each in company
        ]

    class Failing(OfflineAsker):
        async def __call__(self, operation, inputs, *, repeat=0):
            if inputs.statements != (GREW, ELSEWHERE):
                return await super().__call__(operation, inputs, repeat=repeat)
            key = key_of(operation, inputs, self.identity, repeat)
            failure = StoredAnswer(key, operation.name, "offline", repeat, "", "", "timeout")
            await run.keep_answer(failure, [])
            return Unscored(Cause.TIMEOUT)

    with RunFile.create(tmp_path / "a.assay") as run:
        first = asyncio.run(both(Failing(run), run))
    with RunFile.read(tmp_path / "a.assay") as run:
        again = asyncio.run(both(ReplayAsker(run, OFFLINE), run))
    assert first == again and first[1][ELSEWHERE] == Unscored(Cause.TIMEOUT)


# ------------------------------------------------------------------ long pages

LONG = "\n\n".join(f"Paragraph {n}: " + "nothing of note happened. " * 40 for n in range(100))


def test_what_stands_late_on_a_long_page_is_found():
    model = Model()
    found = ask([GREW, ELSEWHERE], model, Rows(), text=f"{LONG}\n\n{PAGE}")
    assert found[GREW].verdict == "supported" and found[ELSEWHERE].verdict == "unsupported"
    assert len(model.asked) > 1


def test_what_an_early_part_supports_is_not_asked_again():
    model = Model()
    ask([GREW, ELSEWHERE], model, Rows(), text=f"{PAGE}\n\n{LONG}")
    assert [inputs.statements for _, inputs in model.asked][:2] == [(GREW, ELSEWHERE), (ELSEWHERE,)]


@pytest.mark.parametrize(
    ("said", "together"),
    [
        (["unknown", "unsupported"], "unsupported"),
        (["unsupported", "unknown"], "unsupported"),
        (["unknown", "unknown"], "unknown"),
        (["unsupported", "supported"], "supported"),
        ([Cause.TIMEOUT, "supported"], "supported"),
        (["unsupported", Cause.TIMEOUT], Cause.TIMEOUT),
    ],
)
def test_parts_of_a_page_speak_with_one_voice(monkeypatch, said, together):
    answers = iter(said)

    def says(operation, inputs):
        each = next(answers)
        one = {"statement": 1, "verdict": each, "quote": inputs.page[:20]}
        return each if isinstance(each, Cause) else {"verdicts": [one]}

    text = "x" * 30 + "\n\n" + "y" * 40
    monkeypatch.setattr(
        support, "overlapping_parts", lambda page, *_: overlapping_parts(page, 60, 5)
    )
    found = ask(["a"], Model(says), Rows(), text=text)["a"]
    assert (found.cause if isinstance(found, Unscored) else found.verdict) == together


def test_a_page_of_too_many_parts_is_too_large_and_nobody_is_asked():
    model = Model()
    found = ask([GREW], model, Rows(), text="word " * 400_000)
    assert found[GREW].cause is Cause.PAGE_TOO_LARGE and not model.asked


def test_who_wants_quotes_is_told_the_statements_whose_quotes_are_absent():
    inputs = PageAndStatements(language="en", page=PAGE, statements=("a", "b"))
    answer = support.Supports(
        verdicts=[
            support.Support(statement=1, verdict="supported", quote="grew to 3.5 GW"),
            support.Support(statement=2, verdict="supported", quote="invented"),
        ]
    )
    assert ": 2; copy" in JUDGE_SUPPORT.quotes(inputs, answer)
