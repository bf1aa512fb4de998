"""Awkward answers to RACE's released program, as edition `paper` takes them: each with its reason.

The recorded answers have no identifiers, for the program's prompt has none: they are put in
before the key of each criterion, by its text, else by its place in the answer.
"""

import json
import re

import pytest
from pydantic import ValidationError

from deepassay.models.reading import Unreadable, read_reply
from deepassay.protocols.race.arithmetic import Marked, relative_score, weighted
from deepassay.protocols.race.questions import COMPARE, CriteriaList, TwoArticles
from deepassay.tasks.yardsticks import DIMENSIONS, Criteria
from tests.protocols.race.test_golden import NO_ANSWER, rows

ACCEPTED = {
    **dict.fromkeys(
        ("plain_json_en", "plain_json_zh", "plain_json_compact", "ascii_escaped_zh"),
        "complete",
    ),
    **dict.fromkeys(
        ("fence_json", "fence_nolang", "fence_JSON_upper", "json_output_tags",
         "output_format_tags_zh", "prose_around", "prose_with_braces_before",
         "prose_with_brace_after", "fence_then_prose_braces", "brace_in_string_tags",
         "fence_in_string"),
        "what stands around the one object is wrapping",
    ),
    **dict.fromkeys(
        ("trailing_commas", "trailing_commas_fenced", "trailing_commas_zh", "comments_in_json",
         "unescaped_quotes_in_analysis", "unescaped_newline_in_analysis"),
        "broken JSON, mended without inventing or losing a word",
    ),
    "reordered": "the order means nothing",
    "criterion_whitespace": "blanks do not make another criterion",
    "score1_int": "a whole number is a number",
    "score2_int": "a whole number is a number",
    **dict.fromkeys(
        ("scores_as_strings", "score1_string_8.5", "score2_string_8.5"),
        "a number in quotes is a number, with a note in the record",
    ),
    "all_ten": "marks may be equal",
    "criterion_with_ascii_quote_ok": "a quotation mark in a criterion, escaped as JSON wants it",
}  # fmt: skip
"""Taken, with the number of the released program."""

OTHERWISE = {
    "think_block_with_json": (0.411422789364214, "what is thought is no answer; it asks again"),
    "scores_as_strings_trailing_commas": (
        0.411422789364214, "mended, and a number in quotes is one; it asks again"),
    "top_level_list": (0.411422789364214, "a list around the one object is wrapping"),
    "all_zero": (0.5, "nothing against nothing is parity; the program says 0"),
    "zh_curly_to_straight_quotes_1": (0.552899326805386, "mended; the program shifts marks"),
    "zh_curly_to_straight_quotes_3": (0.491752841246766, "mended; the program shifts marks"),
    "zh_criterion_curly_to_escaped_quotes": (
        0.552899326805386, "the style of quotation marks does not make another criterion"),
    "criterion_with_ascii_quote_trailing_comma": (
        0.509557380188634, "mended; the program cuts the criterion at its quotation mark"),
}  # fmt: skip
"""Taken, with another number than the released program's, or where it takes none."""

NOT_A_NUMBER = "should be a valid number"
COPY = "^the criterion c{} reads '.*': copy it exactly$"


def missing(*numbers):
    return "^" + "; ".join(f"c{n} is missing" for n in numbers)


REFUSED = {
    "two_fenced_blocks": "more than one JSON object, and they differ",
    "two_objects_bare": "more than one JSON object, and they differ",
    "single_quotes": r"comprehensiveness\.0\.id: Field required",  # where no key could be found
    "truncated_in_readability": "its brackets do not match",
    "truncated_in_insight": "its brackets do not match",
    "truncated_in_insight_but_word_readability_seen": "its brackets do not match",
    "empty_string": "no JSON object",
    "refusal": "no JSON object",
    "top_level_string_naming_dims": "no JSON object",
    "nested_under_scores": "scores: Extra inputs are not permitted",
    "duplicate_dim_key": "JSON is broken",
    "dimension_key_missing": "^readability: Field required",
    "dimension_empty_list": missing(18, 19, 20, 21, 22) + "; and 3 more",
    "dimension_is_dict": "^readability: Input should be a valid array",
    "dimension_is_null": "^readability: Input should be a valid array",
    "dimension_titlecase": "^comprehensiveness: Field required",
    "dimension_keys_chinese": "^comprehensiveness: Field required",
    "extra_dimension": "^originality: Extra inputs are not permitted",
    "swapped_dimension_keys": "^c8 belongs under insight, not under comprehensiveness",
    "swapped_dimension_keys_zh": "^c8 belongs under insight, not under comprehensiveness",
    "criterion_missing_first": missing(8) + "$",
    "criterion_missing_last": missing(12) + "$",
    "criterion_only_one_left_zh": missing(9, 10, 11, 12) + "$",
    **dict.fromkeys(
        ("criterion_paraphrased", "criterion_paraphrased_zh", "criterion_upper",
         "criterion_prefixed", "criterion_truncated", "criterion_empty",
         "criterion_plus_explanation"),
        COPY.format(8),
    ),
    "criterion_single_letter": COPY.format(10),
    "criterion_key_absent": r"^insight\.0\.id: Field required\ninsight\.0\.criterion: Field req",
    "criterion_is_int": r"^insight\.0\.criterion: Input should be a valid string",
    "extra_criterion": r"^insight\.5\.analysis: Field required",
    "duplicate_criterion": "^c8 occurs twice$",
    "item_not_dict_last": r"^insight\.5: Input should be an object",
    "item_null": r"^insight\.0: Input should be an object",
    **{
        f"score{n}_{kind}": rf"^insight\.0\.article_{n}_score: Input {NOT_A_NUMBER}"
        for n in (1, 2)
        for kind in ("string_spaces", "fraction_8/10", "string_8分", "fullwidth_８",
                     "empty", "true", "null", "list", "dict", "underscore_1_0", "string_nan")
    },
    **{
        f"score{n}_{kind}": rf"^insight\.0\.article_{n}_score: Input should be {bound}"
        for n in (1, 2)
        for kind, bound in (("out_of_range_15", "less than or equal to 10"),
                            ("out_of_range_-3", "greater than or equal to 0"),
                            ("huge_1e9", "less than or equal to 10"))
    },
    "score2_null_LAST_item": rf"^insight\.4\.article_2_score: Input {NOT_A_NUMBER}",
    "score2_unparsable_LAST_item": rf"^insight\.4\.article_2_score: Input {NOT_A_NUMBER}",
    "score2_missing_all_but_last": r"^insight\.0\.article_2_score: Field required",
    "score2_null_LAST_item_without_criterion": r"^insight\.4\.id: Field required",
    "json_NaN": rf"^insight\.0\.article_1_score: Input {NOT_A_NUMBER}",
    "json_Infinity": rf"^insight\.0\.article_1_score: Input {NOT_A_NUMBER}",
    "point_wise_target_score_only": r"comprehensiveness\.0\.article_1_score: Field required",
    "all_negative": "should be greater than or equal to 0",
    "ref_negative_dim": "should be greater than or equal to 0",
    "scale_0_100": "should be less than or equal to 10",
    **dict.fromkeys(
        ("tiny_plain", "tiny_case_insensitive", "tiny_substring_first_key_wins"),
        r"^comprehensiveness\.0\.analysis: String should have at least 1 character",
    ),
}  # fmt: skip
"""Sent back to the judge, with these words."""

CRITERIA_REFUSED = {
    "tiny_dim_weight_missing": "dimension_weight lacks readability",
    "tiny_dim_weight_null": "dimension_weight",
    "tiny_dim_weights_not_normalised": "less than or equal to 1",
    "tiny_no_criteria_in_dim": "criterions of insight sum to 0",
    "tiny_duplicate_criteria_names": "criterions of insight hold the same criterion twice",
    "tiny_zero_weights": "criterions of insight sum to 0",
    "tiny_no_criterions": "criterions lacks comprehensiveness",
    "tiny_weight_key_missing": r"criterions.insight.0.weight",
    "tiny_weight_string": r"criterions.insight.0.weight",
}
"""The criteria themselves are refused, before anyone is asked."""

_CRITERION = re.compile(r'"criterion"\s*:\s*("(?:[^"\\]|\\.)*")?')


@pytest.fixture(scope="module")
def vectors(shared):
    return {row["case"]: row for row in rows(shared / "golden/bench/race_awkward.jsonl")}


@pytest.fixture(scope="module")
def published(shared):
    return {str(row["id"]): row for row in rows(shared / "data/bench/criteria.jsonl")}


def criteria_of(row):
    """A row of published criteria; some of them carry remarks, which are not ours."""
    keys = ("criterion", "explanation", "weight")
    listed = {
        name: [{key: each[key] for key in keys if key in each} for each in entries]
        for name, entries in row["criterions"].items()
    }
    return Criteria.model_validate(
        {"dimension_weight": row["dimension_weight"], "criterions": listed}
    )


def with_identifiers(raw, listed):
    known = {each.criterion: each.id for name in DIMENSIONS for each in listed.of_dimension(name)}
    place = 0

    def identified(found):
        nonlocal place
        place += 1
        try:
            text = json.loads(found[1] or "null")
        except ValueError:
            text = None
        return f'"id": "{known.get(text, f"c{place}")}", {found[0]}'

    return _CRITERION.sub(identified, raw)


def taken(vector, criteria):
    """The score of an awkward answer in edition `paper`. Raises Unreadable."""
    listed = CriteriaList.of(criteria.criterions)
    inputs = TwoArticles(
        language=vector["language"], article_1="a", article_2="b", query="q", criteria=listed
    )
    answer = read_reply(
        COMPARE, inputs, with_identifiers(vector["response"], listed)
    ).value.in_order
    reading = Marked(
        [each.article_1_score for each in answer],
        [each.article_2_score for each in answer],
        [each.analysis for each in answer],
        "first",
    )
    return relative_score(weighted(criteria), [reading])


def asked(vector, published):
    return criteria_of(vector.get("criteria") or published[str(vector["task_id"])])


def test_every_awkward_answer_stands_in_one_table(vectors):
    tables = (ACCEPTED, OTHERWISE, REFUSED, CRITERIA_REFUSED, NO_ANSWER)
    assert sum(map(len, tables)) == len(vectors) == 127
    assert set().union(*tables) == set(vectors)


@pytest.mark.parametrize("case", ACCEPTED)
def test_taken_with_the_number_of_the_released_program(case, vectors, published):
    score = taken(vectors[case], asked(vectors[case], published))
    official = vectors[case]["result"]
    assert score.value == pytest.approx(official["overall_score"], abs=1e-12)
    assert score.parts == pytest.approx({name: official[name] for name in DIMENSIONS}, abs=1e-12)


@pytest.mark.parametrize("case", OTHERWISE)
def test_taken_with_the_number_that_the_answer_holds(case, vectors, published):
    score = taken(vectors[case], asked(vectors[case], published))
    assert score.value == pytest.approx(OTHERWISE[case][0], abs=1e-12)
    official = (vectors[case]["result"] or {}).get("overall_score")
    assert official is None or official != pytest.approx(score.value, abs=1e-12)


@pytest.mark.parametrize("case", REFUSED)
def test_sent_back_with_the_reason(case, vectors, published):
    with pytest.raises(Unreadable, match=REFUSED[case]):
        taken(vectors[case], asked(vectors[case], published))


@pytest.mark.parametrize("case", CRITERIA_REFUSED)
def test_criteria_that_nobody_is_asked_about(case, vectors):
    with pytest.raises(ValidationError, match=CRITERIA_REFUSED[case]):
        criteria_of(vectors[case]["criteria"])
