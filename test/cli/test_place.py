"""`generative-ik place`: bases for the poses of a file, as a table, JSON and a picture."""

import json

import numpy as np
import pytest

from generative_ik_ros import ReachabilityMap, pose_matrix

BOX = ["--bounds", "-0.2", "-0.2", "0", "0.2", "0.2", "0", "--step", "0.2", "--yaw-step", "3.2"]


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    """A file with three poses that the Panda reaches from about the origin."""
    file = tmp_path_factory.mktemp("place") / "tasks.csv"
    rows = ["x,y,z,qx,qy,qz,qw", *(f"0.5,{y},0.4,1,0,0,0" for y in (-0.2, 0.0, 0.2))]
    file.write_text("\n".join(rows))
    return str(file)


def test_a_table_a_picture_and_a_map(tasks, tmp_path, shell, panda):
    stored, picture = tmp_path / "panda.npz", tmp_path / "bases.png"
    ReachabilityMap.compute(panda, 0.3, 40).save(stored)
    words = ["--robot", "panda", "--poses", tasks, *BOX, "--num-bases", "2"]
    reply = shell("place", *words, "--map", stored, "--plot", picture)
    assert reply.code == 0 and "3 of 3" in reply.out and "manipulability" in reply.out
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_json_has_configurations_that_reach_the_tasks(tasks, shell, panda):
    words = ["--robot", "panda", "--poses", tasks, *BOX, "--num-bases", "1", "--json"]
    mount = ["--mount", "0", "0", "0.1", "0", "0", "0", "1"]
    report = json.loads(shell("place", *words, "--objective", "limit_margin", *mount).out)
    (best,) = report["bases"]
    assert report["joint_names"] == list(panda.joint_names) and all(best["reached"])
    base = pose_matrix(best["position"], best["orientation"])
    base[2, 3] += 0.1
    tips = base @ panda.forward(best["positions"])
    assert np.allclose(tips[:, :3, 3], [(0.5, y, 0.4) for y in (-0.2, 0.0, 0.2)], atol=1e-4)


def test_progress_is_told_where_there_is_no_terminal(tasks, shell, monkeypatch):
    words = ["--robot", "panda", "--poses", tasks, *BOX, "--num-bases", "1", "--json"]
    assert shell("place", *words).err == ""
    monkeypatch.setattr("generative_ik_ros.cli.console.FIRST_LINE_AFTER", 0.0)
    told = shell("place", *words)
    assert told.err.startswith("placing the base: 50 % after") and told.err.count("\n") < 4
    assert json.loads(told.out)["bases"]


def test_no_base_is_an_exit_code(tasks, tmp_path, shell):
    far = tmp_path / "far.npy"
    np.save(far, pose_matrix((5.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))[None])
    reply = shell("place", "--robot", "panda", "--poses", tasks, "--candidates", far)
    assert reply.code == 1 and "0 of 3" in reply.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--bounds", "1", "2"], "--bounds takes 6 numbers"),
        (["--mount", "1", "2", "3"], "--mount takes 7 numbers"),
        (["--objective", "beauty"], "unknown objective 'beauty'"),
        (["--objective", "clearance"], "clearance"),
        (["--map", "no/such.npz"], "no/such.npz"),
        (["--plot", "bases.xyz"], "ending"),
    ],
)
def test_misuse_is_one_line(tasks, words, says, refused):
    refused("place", "--robot", "panda", "--poses", tasks, *words, says=says)
