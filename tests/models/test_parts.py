from hypothesis import given, settings
from hypothesis import strategies as st

from deepassay.models.usage import overlapping_parts


@settings(deadline=None, max_examples=80)
@given(
    st.text(alphabet=st.sampled_from("ab。 \n\n\n"), max_size=400),
    st.integers(12, 60),
    st.integers(0, 8),
)
def test_every_character_of_a_page_stands_in_a_part(text, size, overlap):
    parts = list(overlapping_parts(text, size, overlap))
    whole = parts[0]
    for part in parts[1:]:
        assert whole.endswith(part[:overlap])
        whole += part[overlap:]
    assert whole == text
    assert all(len(part) <= size for part in parts)


def test_a_part_ends_where_a_paragraph_does():
    text = "a" * 70 + "\n\n" + "b" * 10 + " " + "b" * 60
    assert next(overlapping_parts(text, 90, 5)) == "a" * 70 + "\n\n"
