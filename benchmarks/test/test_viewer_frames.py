"""Frames of the web viewer while its target moves."""

import json

import pytest

from generative_ik_ros.cli.main import main


def test_a_moving_target_at_30_hz(capsys):
    """With a hundred arms; the number of frames depends on the load of the machine."""
    pytest.importorskip("viser", reason="viser not installed")
    assert main(["evaluate", "viewer", "--seconds", "2", "--json", "--port", "8961"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["targets"] == 60 and report["arms"] > 95
    assert 30 < report["frames"] <= 60 and report["pages"] == 0
    assert 0 < report["solving"][0] <= report["delay"][0]


def test_misuse_is_one_line(capsys):
    assert main(["evaluate", "viewer", "--seconds", "0.1"]) == 2
    assert "--seconds" in capsys.readouterr().err
