"""Pictures: written, not blank, and of what was asked for."""

import numpy as np
import pytest

from generative_ik_ros.cli.plot import plot_solutions
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.robot.random_poses import random_configurations

ONE_JOINT = """<robot name="one"><link name="a"/><link name="b"/>
<joint name="turn" type="continuous"><parent link="a"/><child link="b"/>
<origin xyz="0.1 0 0"/><axis xyz="0 0 1"/></joint></robot>"""


def _colors(file):
    pixels = pytest.importorskip("matplotlib.image").imread(file)
    levels = (pixels[..., :3] * 255).astype(np.int64) @ [1 << 16, 1 << 8, 1]
    return len(np.unique(levels))


def test_solve_writes_a_picture(shell, tmp_path):
    file = tmp_path / "panda.png"
    reply = shell("solve", "--robot", "panda", "--random-seed", 2, "--plot", file)
    assert reply.code == 0 and f"wrote {file}" in reply.out
    assert _colors(file) > 200


def test_json_stays_json_with_a_picture(shell, tmp_path):
    file = tmp_path / "panda.svg"
    words = ("solve", "--robot", "panda", "--num-solutions", 3, "--json", "--plot", file)
    reply = shell(*words)
    assert reply.out.startswith("{") and reply.out.endswith("}\n")
    assert file.read_text().rstrip().endswith("</svg>")


def test_no_solution_shows_the_closest(shell, tmp_path):
    file = tmp_path / "far.png"
    reply = shell("solve", "--robot", "ur10", "--pose", 9, 0, 0, 0, 0, 0, 1, "--plot", file)
    assert reply.code == 1 and _colors(file) > 200


@pytest.mark.parametrize("source", [ONE_JOINT, "ur10"])
def test_few_joints_and_several_targets(source, tmp_path):
    chain = load_robot(source) if source == "ur10" else KinematicChain.from_urdf(source)
    positions = random_configurations(chain, 3, 1)
    plot_solutions(chain, positions, chain.forward(positions), tmp_path / "a.png")
    assert _colors(tmp_path / "a.png") > 50
