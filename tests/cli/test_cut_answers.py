"""What `evaluate` advises where answers reached the limit of their length."""

import pytest

from tests.judging import verdicts
from tests.loopback import FakeJudge, completion


@pytest.mark.parametrize("ends", [("length",), ("length", "refusal"), ("refusal",)])
def test_of_answers_that_were_cut_a_larger_limit_is_advised_and_of_others_to_ask_again(
    deepassay, small, ends
):
    def failing(request, text):
        end = ends[request.number % len(ends)]
        return completion("{", end) if end == "length" else completion("", refusal="no")

    with FakeJudge(verdicts, scenarios={"failing": failing}) as judge:
        command = ("evaluate", *small, "--protocol", "coverage", "--judge", "openai:failing")
        done = deepassay(*command, "--base-url", judge.base_url)
    larger = "where answers were cut, a larger `--max-output` with another `--run` asks all anew"
    assert (larger in done.stderr) == ("length" in ends)
    assert ("--retry-unscored asks again for what failed" in done.stderr) == ("refusal" in ends)
