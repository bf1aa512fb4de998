from deepassay.reports.report import Report
from deepassay.run.records import length_of, measure, without_addresses

REPORT = """# Lifts

A lift saves power [1]. See [the maker](https://example.org/lifts?utm_source=x) too [2].

## References

1. A study. https://example.org/a-very-long-address/with/many/parts
2. Another. www.example.net/page
"""


def test_addresses_are_taken_out_and_everything_else_stays():
    bare = without_addresses(REPORT)
    assert "example" not in bare
    assert "[the maker]()" in bare
    assert "1. A study. \n" in bare
    assert len(REPORT) - len(bare) == sum(
        map(
            len,
            (
                "https://example.org/lifts?utm_source=x",
                "https://example.org/a-very-long-address/with/many/parts",
                "www.example.net/page",
            ),
        )
    )


def test_a_word_stands_between_blanks_and_each_chinese_character_is_one():
    assert length_of("two words").words == 2
    assert length_of("电梯 lift 节能").words == 5
    assert length_of("") == (0, 0, 0)


def test_a_report_is_measured_whole_and_bare_with_its_markers_and_references():
    found = measure(Report(REPORT, "heron", "1"), {"language": "en"})
    assert (found.citations, found.references) == (3, 2)
    assert found.whole.characters == len(REPORT)
    assert found.whole.words - found.bare.words == 2  # the third address was part of a link
    assert found.whole.tokens > found.bare.tokens
