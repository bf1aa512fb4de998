"""The 22 topics of DeepResearch Bench, and the spellings that they have elsewhere.

They are those of WebOrganizer (Wettig et al. 2025) without Adult Content and Politics, which none
of the 100 tasks has; the paper shortens some names (section 2.1, figure 3, table 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

Topic = Literal[
    "Art & Design",
    "Crime & Law",
    "Education & Jobs",
    "Entertainment",
    "Fashion & Beauty",
    "Finance & Business",
    "Food & Dining",
    "Games",
    "Hardware",
    "Health",
    "History",
    "Home & Hobbies",
    "Industrial",
    "Literature",
    "Religion",
    "Science & Technology",
    "Social Life",
    "Software",
    "Software Development",
    "Sports & Fitness",
    "Transportation",
    "Travel",
]
TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)

_ELSEWHERE: Final[dict[str, Topic]] = {
    "electronics & hardware": "Hardware",
    "history & geography": "History",
    "science, math & technology": "Science & Technology",
    "science & tech": "Science & Technology",
    "sci & tech": "Science & Technology",
    "travel & tourism": "Travel",
    "software dev": "Software Development",
    "soft dev": "Software Development",
    "fin & biz": "Finance & Business",
    "edu & jobs": "Education & Jobs",
}
_KNOWN: Final[Mapping[str, Topic]] = {
    **{topic.casefold(): topic for topic in TOPICS},
    **_ELSEWHERE,
}


def topic_named(name: str) -> Topic | None:
    """The topic that a name stands for, in WebOrganizer's spelling or in the paper's short ones.

    None for what is no topic of these, such as Politics.
    """
    spelled = " ".join(name.casefold().replace("&", " & ").split())
    return _KNOWN.get(spelled.replace(" and ", " & ").removesuffix("."))


BETWEEN: Final = "; "
"""Stands between the two answers of the label `topics`."""


def two_answers(labels: Mapping[str, str]) -> tuple[str, ...]:
    """The topics of a task by its labels, as two answers, of which each counts a half.

    `topic` is both; where two answers differ there is the label `topics`. Nothing where there is
    neither. In the spelling of TOPICS, if it is one of them.
    """
    named = labels.get("topic")
    told = [named] * 2 if named else filter(None, labels.get("topics", "").split(BETWEEN))
    return tuple(topic_named(each) or each for each in told)
