"""The verb that compares samplers on one pose."""

import json

import numpy as np
import pytest

from generative_ik_ros.robot.known import load_robot

POSE = ("--pose", 0.6, 0.2, 0.5, 1, 0, 0, 0)


def test_the_figures_are_those_of_the_configurations(shell):
    words = ("samplers", "--robot", "ur10", *POSE, "--samples", 64, "--json")
    reply = shell(*words, "--sampler", "auto", "--sampler", "uniform")
    assert reply.code == 0
    found, chain = json.loads(reply.out), load_robot("ur10")
    assert found["auto"]["sampler"] == "auto (closed_form)" and found["auto"]["raw"] is None
    raw = np.array(found["uniform"]["raw"])
    distance = np.linalg.norm(chain.forward(raw)[:, :3, 3] - [0.6, 0.2, 0.5], axis=1)
    assert found["uniform"]["position_error"] == pytest.approx(np.median(distance))
    for one in found.values():
        reached = chain.forward(np.array(one["solutions"]))[:, :3, 3]
        assert len(reached) == 100
        np.testing.assert_allclose(reached, np.tile([0.6, 0.2, 0.5], (100, 1)), atol=2e-5)
    assert 0.1 < found["uniform"]["converged"] < 0.8


def test_a_flow_is_nearer_than_chance_and_what_is_missing_says_why(shell, tmp_path):
    pytest.importorskip("torch", reason="torch is not installed: pip install '.[learned]'")
    file = tmp_path / "samplers.png"
    words = ("samplers", "--robot", "ur10", *POSE, "-n", 8, "--samples", 100)
    names = [part for one in ("ikflow", "quasi_random", "distal") for part in ("--sampler", one)]
    reply = shell(*words, *names, "--plot", file)
    assert reply.code == 0 and f"wrote {file}" in reply.out and file.stat().st_size > 50_000
    assert "distal: sampler 'distal' has no weights" in reply.out
    lines = [line.split("│") for line in reply.out.splitlines() if "cpu" in line]
    rows = {cells[1].strip(): cells[3:] for cells in lines}
    assert float(rows["ikflow"][0]) < 60.0 < 300.0 < float(rows["quasi_random"][0])


def test_misuse(refused):
    ur10 = "samplers", "--robot", "ur10"
    refused(*ur10, "--sampler", "magic", says="unknown sampler 'magic'; choose from: auto, quasi")
    refused(*ur10, *POSE, *POSE, says="give --pose once")
    refused(*ur10, "--samples", 0, says="samples")
