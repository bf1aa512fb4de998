"""The verdicts of people on rubrics, as their file says them."""

import pytest

from deepassay.errors import BadTasks
from deepassay.run.people import read_verdicts


@pytest.mark.parametrize("sample", ["0", "000", "-1", "1.5", "²"])
def test_a_sample_is_a_number_from_1_on(tmp_path, sample):
    path = tmp_path / "people.csv"
    path.write_text(f"agent,task,criterion,verdict,sample\nheron,a,year,met,{sample}\n", "utf-8")
    with pytest.raises(BadTasks, match="no number from 1 on"):
        read_verdicts(path)
