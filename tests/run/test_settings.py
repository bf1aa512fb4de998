"""Settings: one declaration for Python, the file and the command line; refused in a sentence."""

from pathlib import Path

import pytest

from deepassay.cli.assay_toml import FileSettings, read_settings
from deepassay.errors import BadSetting
from deepassay.protocols.coverage import Coverage
from deepassay.run.declared import declared
from deepassay.run.settings import ProtocolSettings, Settings


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_the_file_takes_every_setting_also_of_single_protocols(tmp_path):
    settings = read_settings(
        write(
            tmp_path / "assay.toml",
            """
            protocols = ["presentation", "coverage"]
            reports = "reports"
            judge = "openai:one"
            max-connections = 8
            budget = 2.5
            baseline = "heron"

            [protocol.coverage]
            judge = ["anthropic:two", "google:three"]
            temperature = 0.0

            [protocol.depth]
            baseline = "magpie"
            """,
        )
    )
    assert settings.protocols == ("presentation", "coverage")
    assert settings.reports == (Path("reports"),)
    assert (settings.judge, settings.max_connections, settings.budget) == (("openai:one",), 8, 2.5)
    coverage, depth = settings.of("coverage"), settings.of("depth")
    assert (coverage.judge, coverage.temperature) == (("anthropic:two", "google:three"), 0.0)
    assert (coverage.baseline, depth.baseline) == ("heron", "magpie")
    assert depth.judge == ("openai:one",)


def test_names_may_be_spelled_as_the_options_are_or_in_the_plural(tmp_path):
    text = 'protocol = ["coverage"]\njudges = ["offline"]\nallow_hosts = "localhost:80"'
    settings = read_settings(write(tmp_path / "a.toml", text))
    assert settings.protocols == ("coverage",)
    assert settings.allow_host == ("localhost:80",)
    assert settings == FileSettings(
        protocols=["coverage"], judge="offline", allow_host=["localhost:80"]
    )


def test_a_date_may_be_one_of_toml(tmp_path):
    assert read_settings(write(tmp_path / "a.toml", "date = 2026-11-20")).date == "2026-11-20"


def test_without_a_file_nothing_is_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_settings().model_fields_set == set()


def test_none_is_the_default_and_protocols_may_be_values():
    settings = Settings(judge=None, run=None, protocols=Coverage())
    assert settings.model_fields_set == {"protocols"}
    assert settings.protocols == (Coverage(),)


@pytest.mark.parametrize("name", ["budget", "deadline", "temperature", "min_coverage"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_nothing_can_pass_is_refused(name, value):
    with pytest.raises(BadSetting, match=f"{name} = {value} is not possible"):
        Settings(**{name: value})


def test_a_refusal_says_what_is_possible_and_nothing_of_how_it_was_found_out():
    with pytest.raises(BadSetting) as refused:
        Settings(max_connections=0)
    assert str(refused.value) == (
        "max_connections = 0 is not possible.\n  Give a whole number from 1 on."
    )
    with pytest.raises(BadSetting, match="Did you mean budget"):
        Settings(budgett=3)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"batch_wait": 0.0}, "--batch-wait has no effect without --batch or --batch-file."),
        ({"batch_size": 5, "batch": False}, "--batch-size has no effect without --batch or"),
        ({"workers": 2}, "--workers has no effect without --engine ray."),
        ({"address": "auto", "engine": "local"}, "--address has no effect without --engine ray."),
        ({"ray_temp_dir": "here"}, "--ray-temp-dir has no effect without --engine ray."),
    ],
)
def test_what_would_be_given_in_vain_is_refused(given, says):
    with pytest.raises(BadSetting, match=says):
        Settings(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"batch_wait": 0.0, "batch_size": 5, "batch": True},
        {"batch_wait": 0.0, "batch_file": "folder"},
        {"workers": 2, "address": "auto", "engine": "ray"},
    ],
)
def test_what_has_an_effect_is_taken(given):
    assert Settings(**given).model_fields_set == given.keys()


def test_a_file_may_hold_what_only_some_commands_look_at(tmp_path):
    text = 'batch_wait = 3600\nworkers = 4\naddress = "auto"'
    assert read_settings(write(tmp_path / "a.toml", text)).batch_wait == 3600


@pytest.mark.parametrize("name", [*FileSettings.model_fields])
def test_every_setting_says_what_it_means_and_what_may_be_given(name):
    setting = declared(name, FileSettings)
    assert setting.help.endswith(".")
    assert setting.possible


def test_what_differs_by_protocol_is_a_setting_of_all():
    assert ProtocolSettings.model_fields.keys() <= Settings.model_fields.keys()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("judgee = 'offline'", "no setting named judgee"),
        ("edition = 'old'", "edition = 'old' is not possible"),
        ("date = 'soon'", "date = 'soon' is not possible"),
        ("[protocol.coverage]\nrepeat = 3", r"\[protocol.coverage\] has no setting named repeat"),
        ("judge = ", "is not TOML"),
        ("[protocol]\ncoverage = 3", r"\[protocol\] coverage is 3, not a table"),
        ("[protocol.coverage]\njudge = 5", r"\[protocol.coverage\] judge = 5 is not possible"),
        ("[protocol.coverage]\njudge = [5]", r"judge = \[5\] is not possible"),
        ("[protocol.coverage]\njudge = []", r"judge = \[\] is not possible"),
        ("[protocol.coverage]\ntemperature = 'hot'", "temperature = 'hot' is not possible"),
        ("[protocol.coverage]\ntemperature = -3", "temperature = -3 is not possible"),
        ("[protocol.coverage]\nmax_output = 'x'", "max_output = 'x' is not possible"),
        ("[protocol.coverage]\nstructured = 1", "structured = 1 is not possible"),
        ("[protocol.coverage]\neffort = true", "effort = True is not possible"),
        ("budget = 'much'", "budget = 'much' is not possible"),
        ("budget = nan", "budget = nan is not possible"),
        ("budget = 1" + "0" * 400, "is not possible"),
        ("budget = 1" + "0" * 5000, "is not TOML"),
        ("budget = true", "budget = True is not possible"),
        ("repeat = '2'", "repeat = '2' is not possible"),
        ("repeat = 1.5", "repeat = 1.5 is not possible"),
        ("max-connections = 0", "max_connections = 0 is not possible"),
        ("deadline = 0", "deadline = 0 is not possible"),
        ("min_coverage = 80", "min_coverage = 80 is not possible"),
        ("reports = [['a']]", "reports = .* is not possible"),
        ("run = ''", "run = '' is not possible"),
        ("protocol = 7", "protocols = 7 is not possible"),
        ("lint = 7", "lint = 7 is not possible"),
        ("[lint]\nselct = 'DA1'", r"\[lint\] has no setting named selct.\n  Did you mean select"),
        ("[lint]\nignore = [7]", r"\[lint\] ignore = \[7\] is not possible"),
        ("date = 2026-11-20T10:00:00", "date = .* is not possible"),
    ],
)
def test_what_nobody_understands_is_refused(tmp_path, text, says):
    with pytest.raises(BadSetting, match=says):
        read_settings(write(tmp_path / "assay.toml", text))


def test_a_file_that_was_named_must_be_there(tmp_path):
    with pytest.raises(BadSetting, match="cannot be read"):
        read_settings(tmp_path / "none.toml")


def test_a_setting_under_two_names_is_refused():
    with pytest.raises(BadSetting, match="protocols and protocol are the same setting"):
        Settings(protocols=["coverage"], protocol="race")
    assert Settings(protocols=None, protocol="race").protocols == ("race",)
