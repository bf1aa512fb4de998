from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.wings.view.marked_text import TextMark, marked_pieces

SPANS = st.lists(
    st.tuples(st.integers(-3, 40), st.integers(-3, 40), st.sampled_from(["good", "bad", "open"])),
    max_size=8,
)


def mark(start, end, tone="bad", name="m"):
    return TextMark(start, end, name, "f", "note", tone)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=30), SPANS)
def test_pieces_are_the_text_and_every_mark_begins_once(text, spans):
    marks = [mark(start, end, tone, str(i)) for i, (start, end, tone) in enumerate(spans)]
    found = list(marked_pieces(text, marks))
    assert "".join(piece.text for piece in found) == text
    begun = [begin for piece in found for begin in piece.begins]
    assert [number for number, _ in begun] == list(range(1, len(marks) + 1))
    assert {each.name for _, each in begun} == {each.name for each in marks}


def test_where_marks_overlap_the_gravest_tone_is_shown():
    found = list(marked_pieces("abcdef", [mark(0, 4, "good"), mark(2, 6, "bad")]))
    assert [(piece.text, piece.tone) for piece in found if piece.text] == [
        ("ab", "good"),
        ("cd", "bad"),
        ("ef", "bad"),
    ]


def test_a_mark_past_the_end_stands_at_the_end():
    *_, last = marked_pieces("abc", [mark(90, 99)])
    assert [each.name for _, each in last.begins] == ["m"]


def test_a_text_without_marks_is_one_stretch():
    assert [piece.text for piece in marked_pieces("abc", []) if piece.text] == ["abc"]
