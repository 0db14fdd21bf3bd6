"""Experiments on distal teaching: closed forms, test sets, jumps and tables against truth."""

import json
from dataclasses import replace

import numpy as np
import pytest
from arms import elbows, planar_with_wrist

from generative_ik_benchmarks.oracle import Oracle
from generative_ik_benchmarks.peers.planar import PlanarThree
from generative_ik_benchmarks.reproduce import distal_mechanisms
from generative_ik_benchmarks.reproduce.distal_accuracy import beyond_reach, rejections
from generative_ik_benchmarks.reproduce.distal_mechanisms import (
    MECHANISMS,
    NEAR,
    NONSINGULAR,
    SINGULAR,
    far_poses,
    least_singular_value,
)
from generative_ik_benchmarks.reproduce.distal_paths import (
    JOINT,
    consistency,
    continuous_path_exists,
    smooth_joint_path,
)
from generative_ik_benchmarks.reproduce.distal_paths import Path as PosePath
from generative_ik_benchmarks.reproduce.distal_solvers import closed_form
from generative_ik_benchmarks.reproduce.distal_training import NetFolder, TrainingConfig
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros.cli.main import main
from generative_ik_ros.robot.random_poses import random_configurations
from generative_ik_ros.robot.rigid import inverse

pytest.importorskip("pinocchio", reason="evaluation is checked by pinocchio")
PLANAR, COMPI, ATLAS = MECHANISMS


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: one.name)
def test_mechanisms_are_as_long_as_the_papers(mechanism):
    chain = mechanism.chain
    length = {"3-DoF": 1.3, "6-DoF": 1.12, "15-DoF": 2.31}[mechanism.name]
    assert mechanism.name == f"{chain.num_joints}-DoF"
    assert chain.reach == pytest.approx(length, abs=5e-3)
    oracle = Oracle.of(mechanism.case)
    q = random_configurations(chain, 20, 3)
    np.testing.assert_allclose(oracle.forward(q), chain.forward(q), atol=1e-9)


def test_planar_closed_form_is_the_law_of_cosines(tmp_path):
    chain = planar_with_wrist()
    q = random_configurations(chain, 200, 5)
    for row, target in zip(q, chain.forward(q), strict=True):
        found = PlanarThree(chain).solve(target)
        wrist = target[:2, 3] - 0.2 * target[:2, 0]
        wanted = elbows(wrist)
        gaps = np.abs(np.sin((found[:, None, :2] - wanted[None]) / 2)).max(axis=2)
        assert (gaps.min(axis=1) < 1e-7).all()
        assert (np.abs(found - row).max(axis=1) < 1e-7).any() or abs(row[2]) > np.pi
        np.testing.assert_allclose(chain.forward(found) - target, 0.0, atol=1e-9)


def test_planar_closed_form_stretched_folded_and_out_of_reach():
    chain = planar_with_wrist()
    solver = PlanarThree(chain)
    stretched = chain.forward(np.array([0.4, 0.0, -0.3]))
    np.testing.assert_allclose(solver.solve(stretched)[0], [0.4, 0.0, -0.3], atol=1e-6)
    assert len(solver.solve(stretched)) in (1, 2)
    away = stretched.copy()
    away[:2, 3] *= 1.01
    assert len(solver.solve(away)) == 0
    lifted = stretched.copy()
    lifted[2, 3] = 1e-3
    assert len(solver.solve(lifted)) == 0
    inside = np.eye(4)
    inside[:2, 3] = 0.2 + 0.3, 0.0  # The wrist nearer to the base than the links' difference.
    assert len(solver.solve(inside)) == 0


def test_closed_forms_know_what_they_are_for():
    with pytest.raises(UnsupportedChainError):
        PlanarThree(COMPI.chain)
    assert isinstance(closed_form(PLANAR.chain), PlanarThree)
    assert closed_form(ATLAS.chain) is None
    exact = closed_form(COMPI.chain)
    q = random_configurations(COMPI.chain, 50, 2)
    for row, target in zip(q, COMPI.chain.forward(q), strict=True):
        found = exact.solve(target)
        assert len(found) == 8 and (np.abs(found - row).max(axis=1) < 1e-6).any()
        np.testing.assert_allclose(COMPI.chain.forward(found) - target, 0.0, atol=1e-6)


def test_singular_test_sets_are_singular():
    """For the planar arm: the elbow stretched or folded, where the Jacobian's determinant is 0."""
    chain = PLANAR.chain
    elbow = distal_mechanisms.test_set(chain, SINGULAR, 20, 1)[:, 1]
    assert np.abs(np.sin(elbow)).max() < 1e-3
    values = {
        kind: least_singular_value(chain, distal_mechanisms.test_set(chain, kind, 20, 1))
        for kind in (NEAR, SINGULAR, NONSINGULAR)
    }
    assert values[SINGULAR].max() < 1e-4 < values[NEAR].max() < values[NONSINGULAR].min()
    wrist = distal_mechanisms.test_set(COMPI.chain, SINGULAR, 20, 1)
    assert least_singular_value(COMPI.chain, wrist).max() < 1e-5
    assert (wrist >= COMPI.chain.lower).all() and (wrist <= COMPI.chain.upper).all()


def test_unreachable_poses_are_far_and_rejected():
    for mechanism in MECHANISMS:
        distance = np.linalg.norm(far_poses(mechanism, 4000, 0)[:, :3, 3], axis=1)
        assert distance.mean() == pytest.approx(mechanism.far[0], rel=0.02)
        assert distance.std() == pytest.approx(mechanism.far[1], rel=0.05)
        first = inverse(np.asarray(mechanism.chain.joint_origins[0]))
        beyond = np.linalg.norm((first @ beyond_reach(mechanism, 500, 1))[:, :3, 3], axis=1)
        assert (beyond > mechanism.chain.reach * (1 + 9e-5)).all()
    flat = far_poses(PLANAR, 50, 0)
    assert np.abs(flat[:, 2, 3]).max() == 0.0 and np.abs(flat[:, 2, 2] - 1.0).max() < 1e-12
    row = rejections(PLANAR, 300, 10, 1)
    assert (row.false_successes, row.undecided) == (0, 0)


def test_jumps_are_counted():
    q = np.tile(np.linspace(0.0, 0.5, 11)[:, None], (1, 3))
    path = PosePath(PLANAR.chain.forward(q), q[0])
    jumping = q.copy()
    jumping[4:, 2] += 1.0
    jumping[8:, 0] += 2 * np.pi
    gone = q.copy()
    gone[5] = np.nan
    follow = {
        "smooth": lambda targets, start: q,
        "jumping": lambda targets, start: jumping,
        "distal teaching": lambda targets, start: jumping,
        "gone": lambda targets, start: gone,
    }
    rows = {row.solver: row for row in consistency(PLANAR, JOINT, [path, path], follow)}
    assert (rows["smooth"].jumps, rows["smooth"].first) == (0, None)
    assert rows["smooth"].worst_position < 1e-12
    assert (rows["jumping"].with_jumps, rows["jumping"].jumps, rows["jumping"].first) == (2, 4, 0)
    assert rows["distal teaching"].jumps == 2  # A whole turn is none without limits.
    assert (rows["gone"].unsolved, rows["gone"].jumps) == (2, 0)


def test_a_dense_search_knows_which_paths_can_be_followed():
    chain = planar_with_wrist()
    exact = PlanarThree(chain)
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = smooth_joint_path(chain, 150, rng)
        step = 1.5 * np.abs(np.diff(q, axis=0)).max()
        q[:, 2] = np.clip(q[:, 2], -3.0, 3.0)  # One turn is all that a closed form has.
        assert continuous_path_exists(exact, chain.forward(q), q[0], step)
        assert not continuous_path_exists(exact, chain.forward(q), q[0] + 2 * step, step)
    # From elbow up to elbow down without going through the stretched arm.
    up = np.stack([np.zeros(20), np.full(20, 1.0), np.zeros(20)], axis=1)
    down = np.array(elbows(chain.forward(up[0])[:2, 3] - 0.2 * chain.forward(up[0])[:2, 0])[1])
    other = np.array([*down, up[0].sum() - down.sum()])
    targets = chain.forward(np.concatenate([up, other[None]]))
    assert continuous_path_exists(exact, targets, up[0], 0.2)
    q = np.linspace(up[0], other, 2)
    assert not continuous_path_exists(exact, chain.forward(q)[1:], other + 0.5, 0.2)


def test_the_command_prints_every_table(tmp_path, capsys):
    """Tiny nets and few poses: the whole way from options to tables, pictures and JSON."""
    file = tmp_path / "report.json"
    words = ["reproduce", "distal", "--quick", "--mechanism", "3-DoF", "--effort", "0.2"]
    words += ["--poses", "20", "--set-poses", "10", "--unreachable", "20", "--paths", "2"]
    words += ["--nets", tmp_path / "nets", "--plots", tmp_path / "plots", "--json", file]
    assert main([str(word) for word in words]) == 0
    out = capsys.readouterr().out
    for head in ("Table I,", "Table II,", "Table III,", "Table IV,", "Along paths", "Table V,"):
        assert head in out
    assert "62.88" in out and "12.81" in out and "0.523 ± 0.228" in out
    report = json.loads(file.read_text())["report"]
    assert set(report) >= {"accuracy", "limits", "singular", "far", "paths", "times"}
    ours = next(row for row in report["accuracy"] if row["solver"] == "ours")
    assert ours["exact"] == 1.0
    assert [row["jumps"] for row in report["paths"] if "solve_path" in row["solver"]] == [0, 0]
    for name in ("distal-errors.png", "distal-path.png"):
        assert (tmp_path / "plots" / name).read_bytes()[:4] == b"\x89PNG"


def test_misuse_is_one_line(refused):
    for words in (["--experiment", "g"], ["--mechanism", "nothing"], ["--device", "abacus"]):
        refused("reproduce", "distal", "--quick", *words)


def test_a_net_is_trained_once_and_its_poses_count(tmp_path):
    folder, config = NetFolder(tmp_path, effort=1e-9), TrainingConfig(PLANAR, 50)
    folder.net(config)
    (path,) = tmp_path.glob("*.safetensors")
    written = path.stat().st_mtime_ns
    folder.net(config)
    assert path.stat().st_mtime_ns == written
    folder.net(replace(config, samples=49))
    folder.net(replace(config, penalty=1.0))
    assert len(list(tmp_path.glob("*.safetensors"))) == 3
    path.write_bytes(path.read_bytes()[:-9])
    folder.net(config)
    assert path.stat().st_mtime_ns != written
