"""Settings: types and bounds, files and changes, and what `--show-config` prints."""

from dataclasses import dataclass, fields
from pathlib import Path

import pytest
import yaml

from generative_ik_ros.cli.main import main
from generative_ik_ros.errors import GenerativeIKError, InvalidArgumentError, UnknownNameError
from generative_ik_ros.learned.settings import (
    Settings,
    read_settings,
    setting,
    show_settings,
    with_default,
)
from generative_ik_ros.learned.training.config import TrainingConfig
from generative_ik_ros.learned.training.distal_config import DistalTraining
from generative_ik_ros.learned.training.ggik_config import GGIKTraining
from generative_ik_ros.learned.training.ikflow_config import IKFlowTraining
from generative_ik_ros.robot.known import load_robot

TRAININGS = {"ikflow": IKFlowTraining, "distal": DistalTraining, "ggik": GGIKTraining}
every_training = pytest.mark.parametrize("name", TRAININGS)


@dataclass(frozen=True)
class Base(Settings):
    """What is shared."""

    rate: float = setting(1e-3, "Of the optimiser.", above=0.0)
    steps: int | None = setting(None, "How many.", least=1, most=10)


@dataclass(frozen=True)
class Child(Base):
    """What is special."""

    rate: float = with_default(Base, "rate", 0.5)
    kind: str = setting("a", "Which.", choices=("a", "b"))
    fast: bool = setting(False, "Hurry.")
    log: Path | None = setting(None, "Where.")
    names: tuple[str, ...] = setting((), "Whose.")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("rate=1e-4", 1e-4),  # YAML takes this for a text
        ("rate=2", 2.0),
        ("steps=3", 3),
        ("steps=null", None),
        ("kind=b", "b"),
        ("fast=true", True),
        ("log=a/b", Path("a/b")),
        ("names=one, two", ("one", "two")),
        ("names=[one, two]", ("one", "two")),
    ],
)
def test_a_change_by_its_name(change, expected):
    value = getattr(read_settings(Child, None, [change]), change.partition("=")[0])
    assert value == expected and type(value) is type(expected)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ("rate=fast", InvalidArgumentError, "rate must be a number, not 'fast'"),
        ("rate=0", InvalidArgumentError, "rate must be a number above 0, not 0.0"),
        ("rate=.nan", InvalidArgumentError, "rate must be a number above 0, not nan"),
        ("rate=null", InvalidArgumentError, "rate must be a number, not None"),
        ("steps=1.5", InvalidArgumentError, "steps must be a whole number, not 1.5"),
        ("steps=true", InvalidArgumentError, "steps must be a whole number, not True"),
        ("steps=11", InvalidArgumentError, "whole number from 1 to 10, not 11"),
        ("fast=1", InvalidArgumentError, "fast must be true or false, not 1"),
        ("log=3", InvalidArgumentError, "log must be a path, not 3"),
        ("names={a: 1}", InvalidArgumentError, "names must be a list, not"),
        ("kind=c", UnknownNameError, "unknown kind 'c'; choose from: a, b"),
        ("sped=1", UnknownNameError, "unknown setting 'sped'; choose from: fast, kind, log"),
        ("rate", InvalidArgumentError, "by NAME=VALUE, not by 'rate'"),
        ("rate=[1", InvalidArgumentError, "the value of 'rate' is no YAML"),
    ],
)
def test_misuse_names_the_setting_and_what_it_may_be(change, error, message):
    with pytest.raises(error) as raised:
        read_settings(Child, None, [change])
    assert message in str(raised.value) and "\n" not in str(raised.value)


def test_what_is_given_comes_before_changes_and_changes_before_the_file(tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text("rate: 1.0\nsteps: 1\nkind: b\n")
    assert read_settings(Child, file) == Child(rate=1.0, steps=1, kind="b")
    settings = read_settings(Child, file, ["rate=2", "steps=2"], steps=3, kind=None)
    assert settings == Child(rate=2.0, steps=3, kind="b")
    file.write_text("# nothing\n")
    assert read_settings(Child, file) == Child()


@pytest.mark.parametrize("content", [b"[1, 2]", b"rate: [", b"word", b"\xff\xfe\x00", b"1: 2"])
def test_files_that_hold_no_settings(tmp_path, content):
    file = tmp_path / "settings.yaml"
    file.write_bytes(content)
    with pytest.raises(GenerativeIKError) as raised:
        read_settings(Child, file)
    assert "\n" not in str(raised.value)
    with pytest.raises(InvalidArgumentError, match="cannot read .*none.yaml: No such file"):
        read_settings(Child, tmp_path / "none.yaml")


def test_what_is_shown_is_read_back_and_the_special_settings_come_first():
    settings = Child(steps=4, names=("x", "y"), log=Path("log"), rate=1e-7)
    text = show_settings(settings)
    assert Child(**yaml.safe_load(text)) == settings
    assert text.index("What is special") < text.index("kind:") < text.index("What is shared")
    assert "# Which. (a, b)\nkind: a\n" in text and "# How many. (from 1 to 10)\n" in text


@every_training
def test_a_learning_rate_that_no_float_of_a_weight_holds_is_refused(name):
    with pytest.raises(InvalidArgumentError, match="learning_rate must be a number above 0"):
        read_settings(TRAININGS[name], None, ["learning_rate=1e300"])


@every_training
def test_every_setting_of_a_training_is_described(name):
    assert issubclass(TRAININGS[name], TrainingConfig)
    for one in fields(TRAININGS[name]):
        assert one.metadata["text"].endswith("."), one.name


@every_training
def test_the_shell_shows_a_configuration_that_it_reads(name, tmp_path, capsys):
    words = ["train", name, "--minutes", "3", "--set", "hidden=24", "--show-config"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    file = tmp_path / "my.yaml"
    file.write_text(shown)
    assert main(["train", name, "--config", str(file), "--show-config"]) == 0
    assert capsys.readouterr().out == shown
    assert yaml.safe_load(shown)["hidden"] == 24 and yaml.safe_load(shown)["minutes"] == 3.0


@every_training
def test_misuse_in_the_shell_is_one_line(name, tmp_path, refused):
    for bad in (["--set", "hiden=8"], ["--set", "hidden=wide"], ["--set", "hidden=0"],
                ["--config", tmp_path / "none.yaml"], ["--minutes", "-1"]):  # fmt: skip
        refused("train", name, *bad)


def test_the_papers_network_of_the_docs_is_a_configuration(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "training.md").read_text()
    file = tmp_path / "paper.yaml"
    file.write_text(page.partition("```yaml\n")[2].partition("```")[0])
    settings = read_settings(IKFlowTraining, file)
    config = settings.model_config(load_robot("panda"))
    assert (config.kind, config.width, config.layers, config.closed) == ("coupling", 9, 12, ())
    assert settings.learning_rate == 5e-4
