"""A report with known faults, and answers that point to them."""

from deepassay.reports.report import Report
from deepassay.tasks.task import Task

TASK = Task(id="t1", prompt="Which ferries are quiet?")

REPORT = Report(
    """# Quiet ferries

The fleet has **42** electric ferries [1]. They are quieter than diesel ferries.

## Numbers

In total the fleet counts 38 electric
ferries. Diesel is loud, so diesel is the better choice for a quiet harbour.

A run of <<< angles stands here.

## Sources

[1] Harbour survey. https://example.org/survey
"""
)


def clash(quote="The fleet has 42 electric ferries", other="the fleet counts 38 electric ferries"):
    """An issue in two passages."""
    return {"kind": "contradiction", "quote": quote, "other_quote": other, "problem": "42 or 38?"}


def slip(quote="Diesel is loud, so diesel is the better choice"):
    """An issue in one passage."""
    return {"kind": "logic", "quote": quote, "other_quote": "", "problem": "Loud is not quiet."}


def uncited(quote="They are quieter than diesel ferries.", kind="uncited"):
    """A claim without a source."""
    return {"kind": kind, "quote": quote, "problem": "Who says so?"}
