"""The command line as a person types it, as in tests/cli."""

from tests.cli.conftest import deepassay, place  # noqa: F401 - fixtures are found by their names
