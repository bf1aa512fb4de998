"""The command line as a person types it, as in tests/cli."""

from tests.cli.conftest import *  # noqa: F403 - fixtures are found by their names
