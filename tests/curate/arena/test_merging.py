from deepassay.curate.arena.inspiration import Inspiration
from deepassay.curate.arena.merging import merged

HEAT = "It is unknown which temperature inside the mussel sets the threshold of recovery."
REWORDED = "Which temperature inside the mussel sets the threshold of its recovery is unknown."
WHELKS = "Shores with more whelks may recover slowly, because whelks eat young settlers."


def lead(text, start, end, **changes):
    fields = {
        "id": "a", "type": "Limitation", "qualities": ("challenge", "explorability"),
        "text": text, "quote": f"words from {start}", "start": start, "end": end,
        "transcript": "mussels",
    }  # fmt: skip
    return Inspiration(**fields | changes)


def test_the_same_idea_elsewhere_is_noted_at_the_earlier_one():
    early, late = lead(HEAT, 10, 90), lead(REWORDED, 5000, 5080, time=300.0)
    for order in ([early, late], [late, early]):
        (one,) = merged(order)
        assert (one.text, one.start, one.quote) == (HEAT, 10, "words from 10")
        assert [(each.start, each.time) for each in one.also] == [(5000, 300.0)]


def test_other_ideas_stay_apart_in_the_order_of_the_talk():
    both = merged([lead(WHELKS, 500, 580), lead(HEAT, 10, 90)])
    assert [each.text for each in both] == [HEAT, WHELKS]
    assert not any(each.also for each in both)


def test_from_the_same_words_less_likeness_is_enough():
    longer = f"{HEAT} The loggers measure air only, and in sunshine a mussel is far warmer."
    assert len(merged([lead(HEAT, 10, 90), lead(longer, 20, 160)])) == 1
    assert len(merged([lead(HEAT, 10, 90), lead(longer, 900, 1050)])) == 2


def test_two_ideas_from_the_same_words_stay_apart():
    assert len(merged([lead(HEAT, 10, 90), lead(WHELKS, 10, 90)])) == 2


def test_the_same_passage_twice_is_noted_once():
    (one,) = merged([lead(HEAT, 10, 90)] * 3 + [lead(HEAT, 50, 130)] * 2)
    assert [each.start for each in one.also] == [50]


def test_chinese_ideas_are_compared_by_their_characters():
    first = "不清楚贻贝体内的温度达到多少度才会决定恢复的快慢。"
    again = "贻贝体内的温度达到多少度才会决定恢复的快慢，还不清楚。"
    other = "海螺多的岸段恢复得慢，可能是因为海螺吃掉了刚附着的幼体。"
    found = merged([lead(first, 1, 9), lead(again, 100, 109), lead(other, 200, 209)])
    assert [each.text for each in found] == [first, other]
