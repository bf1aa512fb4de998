"""What people say, beside and beneath a leaderboard; loads what reads a file where one is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deepassay.results.judge_evidence import JudgeEvidence
from deepassay.results.ranking import Board
from deepassay.results.reading import Records
from deepassay.results.tables import Table


def _calibrated(boards: tuple[Board, ...], records: Records, file: Path) -> tuple[Board, ...]:
    from deepassay.wings.people.calibration.board_column import rankings_with_calibration
    from deepassay.wings.people.calibration.calibration_file import CalibrationFile, digests

    return rankings_with_calibration(
        boards, CalibrationFile.of_file(file), digests(records.everything()), str(file)
    )


def _agreement(boards: Sequence[Board], file: Path) -> tuple[Table, ...]:
    from deepassay.wings.people.agreement.judge_quality import JudgeQualityFile

    return JudgeQualityFile.of_file(file).beneath(boards, str(file))


BESIDES: Final = (
    JudgeEvidence(
        "calibration",
        "What `calibrate -o` wrote: shows what people would say beside the scores.",
        beside=_calibrated,
        place=10,
    ),
    JudgeEvidence(
        "labels",
        "What `agree support -o` wrote: how far the judge agrees with people.",
        beneath=_agreement,
        place=30,
    ),
)
