"""What the scripted model may say: nothing of the corpus that its context does not hold."""

from tests.real.scripted import Scripted

A, B = "https://a.example/tides", "https://b.example/mills"
MODEL = Scripted({A: ["The tide turns twice a day."], B: ["The mill stands at Ardle."]}, ["tide"])


def test_a_sentence_is_cited_only_if_its_address_is_there_too():
    context = f"Source: None\nThe tide turns\ntwice a day.\nSource: {B}\nThe mill stands at Ardle."
    assert MODEL.report(context).split("\n\n") == [
        "# What the pages say",
        "The tide turns twice a day.",
        "The mill stands at Ardle. [1]",
        "## Sources",
        f"[1] {B}",
    ]


def test_an_address_is_cited_as_it_stands_in_the_context():
    known = f"http://127.0.0.1:8791/s/0123abcd/w/{A}"
    assert f"[1] {known}" in MODEL.report(f"{known}: The tide turns twice a day.")


def test_nothing_is_said_that_is_not_in_the_context():
    assert MODEL.report(f"See {A} and {B}.") == "# What the pages say\n\n## Sources"
