"""`generative-ik reproduce ikflow`: a short run is complete and true, misuse is told."""

import json

import pytest

pytest.importorskip("torch")
pytest.importorskip("pinocchio")

from generative_ik_ros.cli.main import main

SHORT = ["reproduce", "ikflow", "--robot", "panda", "--quick", "--poses", "2", "--error-poses",
         "8", "--temperature", "0.2", "--temperature", "1", "--size", "10"]  # fmt: skip


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduce")
    picture, figures = folder / "figure.png", folder / "figures.json"
    assert main([*SHORT, "--plot", str(picture), "--json", str(figures)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    content = json.loads(figures.read_text())
    assert content["false_results"] == 0
    (one,) = content["reports"]
    return one


def test_stands_beside_the_published_row(report):
    assert report["published"]["position_mm"] == 7.75
    assert 0.0 < report["raw"]["position_median_mm"] <= report["raw"]["position_mm"] < 500.0
    assert report["raw"]["milliseconds"] > 0.0


def test_samplers_without_training_stand_beside_it(report):
    rows = {row["sampler"]: row for row in report["quality"]["rows"]}
    assert list(rows) == ["uniform", "quasi_random", "ikflow"]
    assert rows["ikflow"]["raw"]["mmd"] < rows["uniform"]["raw"]["mmd"]
    assert rows["ikflow"]["refined"]["converged"] > rows["uniform"]["refined"]["converged"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--robot", "nope"], "robot"),
        (["--poses", "0"], "poses"),
        (["--temperature", "1.5"], "temperature must be from 0 to 1"),
        (["--plot", "no/such/folder/x.png"], "cannot write"),
        (["--json", "no/such/folder/x.json"], "cannot write"),
    ],
)
def test_misuse(words, message, refused):
    refused(*SHORT, *words, says=message)


def test_robots_without_weights_are_told(monkeypatch, tmp_path, refused):
    from generative_ik_ros.learned import checkpoint

    monkeypatch.setenv("GENERATIVE_IK_WEIGHTS", str(tmp_path))
    monkeypatch.setattr(checkpoint, "package_weights", lambda: tmp_path)
    refused(*SHORT, says="generative-ik train ikflow")
