"""`generative-ik path`: rows that follow the poses of a file, and where they end."""

import csv
import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from generative_ik_ros.robot.known import load_robot

PANDA = load_robot("panda")
SWEEP = np.linspace(
    (0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.7), (1.0, 0.0, 0.5, -1.2, 0.5, 1.8, 1.7), 120
)


@pytest.fixture
def poses(tmp_path):
    """Writes poses along a sweep, out of reach from `end` on, into a file; returns matrices."""

    def write(end=120):
        matrices = PANDA.forward(SWEEP)
        matrices[end:, 0, 3] += 3.0
        numbers = np.c_[
            matrices[:, :3, 3], Rotation.from_matrix(matrices[:, :3, :3]).as_euler("xyz")
        ]
        file = tmp_path / "poses.csv"
        np.savetxt(file, numbers, delimiter=",", header="x,y,z,roll,pitch,yaw", comments="")
        return file, matrices

    return write


def test_complete_path_from_a_seed_state(shell, poses, tmp_path):
    file, matrices = poses()
    found = tmp_path / "path.csv"
    step = ("--max-step", "0.05", "--seed-state", *SWEEP[0])
    reply = shell("path", file, "--robot", "panda", *step, "--output", found)
    assert reply.code == 0 and reply.out == ""
    assert reply.err.startswith("path through all 120 poses (") and f"s) -> {found}" in reply.err
    header, *rows = csv.reader(found.read_text().splitlines())
    assert header[:4] == ["pose", "status", "position_error", "orientation_error"]
    assert header[4:] == list(PANDA.joint_names) and len(rows) == 120
    assert {row[1] for row in rows} == {"REACHED"}
    positions = np.array([row[4:] for row in rows], float)
    assert np.abs(np.diff(positions, axis=0)).max() <= 0.05 + 1e-9
    assert np.abs(positions[0] - SWEEP[0]).max() <= 0.05 + 1e-9
    np.testing.assert_allclose(PANDA.forward(positions), matrices, atol=3e-5)


def test_incomplete_path_says_where_it_ends(shell, poses):
    file, matrices = poses(end=100)
    reply = shell("path", file, "--robot", "panda", "--json", "--max-step", *[0.2] * 7)
    assert reply.code == 1 and reply.err.startswith(
        "path through 100 of 120 poses, it ends at pose 99: no step leads to pose 100 ("
    )
    rows = [json.loads(line) for line in reply.out.splitlines()]
    assert [row["status"] for row in rows] == ["REACHED"] * 100 + ["NOT_REACHED"] * 20
    assert all(row["positions"] is None for row in rows[100:])
    positions = np.array([list(row["positions"].values()) for row in rows[:100]])
    np.testing.assert_allclose(PANDA.forward(positions), matrices[:100], atol=3e-5)


def test_no_path_and_no_time(shell, poses):
    file, _ = poses(end=0)
    reply = shell("path", file, "--robot", "panda")
    assert reply.code == 1 and reply.err.startswith("no path: pose 0 has no configuration (")
    reply = shell("path", file, "--robot", "panda", "--seed-state", *SWEEP[0])
    assert "no path: pose 0 has no configuration within a step of the seed state (" in reply.err
    file, _ = poses()
    reply = shell("path", file, "--robot", "panda", "--timeout", "1e-6")
    assert reply.code == 1 and "no path: time was up (" in reply.err


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        ((), "Missing argument 'FILE'"),
        (("absent.csv",), "cannot read 'absent.csv'"),
        (("poses.csv", "--max-step", "far"), "--max-step takes numbers"),
        (("poses.csv", "--max-step", "0"), "max_step must be above 0"),
        (("poses.csv", "--max-step", "1", "2"), "max_step has shape"),
        (("poses.csv", "--seed-state", "0,0"), "seed_state: joint positions have shape (2,)"),
        (("poses.csv", "--output", "path.txt"), "its ending must be one of"),
    ],
    ids=lambda value: " ".join(value[1:]) if isinstance(value, tuple) else "",
)
def test_misuse(words, fragment, shell, poses, tmp_path, monkeypatch):
    poses()
    monkeypatch.chdir(tmp_path)
    reply = shell("path", *words, "--robot", "panda")
    assert reply.code == 2 and reply.out == "" and fragment in reply.err
    assert reply.err.startswith("generative-ik: ") and reply.err.count("\n") == 1
