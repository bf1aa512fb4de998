"""What Harbor's verifier leaves for a trial: `reward.json`, and why where there is none.

Harbor (0.25) runs `tests/test.sh` in the container and then reads `/logs/verifier/reward.json`: a
flat object of finite numbers, of which `reward` is the reward. It does not look at the exit status.
A trial without that file ends with an error; its means over trials count such a one as 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deepassay.errors import BadSetting
from deepassay.files import as_json
from deepassay.results.ranking import Board, rank
from deepassay.results.records import Judged
from deepassay.results.standings import Standing
from deepassay.run.showing.boards import read_scores
from deepassay.run.showing.output import check_output, fresh_output
from deepassay.run.showing.records import records_of
from deepassay.score import Json, Unscored, without_options

REWARD: Final = "reward.json"
TOLD: Final = "deepassay.json"


@dataclass(frozen=True)
class Reward:
    """What a trial earned.

    rewards: as Harbor reads them, `reward` from 0 to 1, then each score in its own unit; empty
    where there is no reward. why: there is none, a sentence each. about: what else is to be known
    of it, as JSON.
    """

    rewards: Mapping[str, float]
    why: tuple[str, ...]
    about: Mapping[str, Json]

    def lines(self, output: Path) -> Iterator[str]:
        """What was written, for a person."""
        if self.rewards:
            yield f"Wrote {output / REWARD}: reward {self.rewards['reward']:.4g}."
        else:
            yield f"No {REWARD} was written, so that nobody takes it for 0: {'; '.join(self.why)}"


def write_reward(run: Path, output: Path, protocol: str = "", *, force: bool = False) -> Reward:
    """Write the reward of the one report of a run into a folder, and `deepassay.json` beside it.

    protocol: whose score is the reward, where there are several. Raises BadSetting where the run
    has several reports, the protocol is none of it, or a file is there (unless `force`).
    """
    reward = reward_of(run, protocol)
    for name in (REWARD, TOLD):
        check_output(output / name, [run], force=force)
    with fresh_output(output / TOLD) as fresh:
        fresh.write_text(as_json(dict(reward.about)), encoding="utf-8")
    if reward.rewards:
        with fresh_output(output / REWARD) as fresh:
            fresh.write_text(json.dumps(reward.rewards, allow_nan=False) + "\n", encoding="utf-8")
    else:
        (output / REWARD).unlink(missing_ok=True)  # of an earlier trial
    return reward


def reward_of(run: Path, protocol: str = "") -> Reward:
    """What the one report of a run earned. Raises BadSetting as `write_reward` does."""
    boards = {board.protocol: board for board in rank(read_scores([run]))}
    records = records_of([run])
    reports = {(each.agent, each.task, each.sample) for each in records}
    if len(reports) != 1:
        raise BadSetting(
            f"A trial of Harbor has one report, and {run} has {len(reports)}.",
            "Evaluate the report of one trial for its task.",
        )
    name = protocol or next(iter(boards))
    if name not in boards or (len(boards) > 1 and not protocol):
        raise BadSetting(
            f"{run} has no score by {protocol}." if protocol else f"{run} has several protocols.",
            f"Say whose score is the reward: --reward, of {', '.join(boards)}.",
        )
    rows = {each: board.standings[0] for each, board in boards.items()}
    why = (*_why_none(name, rows[name], boards[name], records),)
    rewards = {} if why else _rewards(name, boards, rows)
    (report,) = reports
    about = {
        "report": dict(zip(("agent", "task", "sample"), report, strict=True)),
        "protocol": name,
        "rewards": rewards or None,
        "why": list(why),
        "parts": {
            each: {name: part.mean for name, part in row.summary.parts.items()}
            for each, row in rows.items()
        },
        "unscored": {each: dict(row.summary.causes) for each, row in rows.items()},
        "signatures": {each: str(board.recipes[0]) for each, board in boards.items()},
    }
    return Reward(rewards, why, about)


def _why_none(name: str, row: Standing, board: Board, records: Sequence[Judged]) -> Iterator[str]:
    """Why the score of a protocol is no reward; nothing where it is one."""
    if row.summary.mean is None:
        for each in records:
            if each.protocol == name and isinstance(each.outcome, Unscored):
                yield f"{name} is unscored: {each.outcome.cause}. {each.outcome.detail}".strip()
    elif board.limits is None or board.limits.low >= board.limits.high:
        yield f"{name} has no range, and a reward goes from 0 to 1."


def _rewards(
    name: str, boards: Mapping[str, Board], rows: Mapping[str, Standing]
) -> dict[str, float]:
    mean, limits = rows[name].summary.mean, boards[name].limits
    assert mean is not None and limits is not None
    share = (mean - limits.low) / (limits.high - limits.low)
    found = {"reward": min(max(share, 0.0), 1.0)}
    for each, row in rows.items():
        if row.summary.mean is not None:
            bare = without_options(each)
            found[each if bare in found else bare] = row.summary.mean
    return found
