"""Options that several commands take are declared once, and mean what their request means."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from deepassay.cli.grouping import ungrouped
from deepassay.cli.options import Settings, Terms
from deepassay.run import terms
from deepassay.run.making import SoloTerms


@pytest.mark.parametrize(("group", "request_of"), [(Terms, terms.Terms), (Settings, SoloTerms)])
def test_an_option_has_the_default_of_the_request(group, request_of):
    defaults = {each.name: each.default for each in fields(request_of)}
    assert {each.name: each.default for each in fields(group)}.items() <= defaults.items()


def test_all_terms_of_a_request_can_be_given():
    assert {each.name for each in fields(Terms)} == {each.name for each in fields(terms.Terms)}


def test_the_options_of_a_group_stand_where_the_group_does():
    told = []

    @ungrouped
    def command(
        name: Annotated[str, typer.Argument()], *, settings: Settings, last: str = "end"
    ) -> None:
        """Say what was given."""
        told.append((name, settings, last))

    app = typer.Typer(add_completion=False)
    app.command()(command)
    shown = CliRunner().invoke(app, ["--help"]).output
    assert "Say what was given." in shown
    assert shown.index("--base-url") < shown.index("--max-output") < shown.index("--last")
    done = CliRunner().invoke(app, ["heron", "--max-output", "9", "--last", "here"])
    assert done.exit_code == 0, done.output
    assert told == [("heron", Settings(max_output=9), "here")]
