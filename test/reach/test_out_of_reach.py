"""What a map proves out of reach is so, and maps that prove nothing are refused."""

from dataclasses import replace

import numpy as np
import pytest

from generative_ik_ros import IKSolver, ReachabilityMap
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.out_of_reach import OutOfReach
from generative_ik_ros.reach.placement import place_base
from generative_ik_ros.robot.quaternions import rotation_matrices
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.robot.rigid import inverse, turn
from generative_ik_ros.robot.tool import with_tools


@pytest.fixture(scope="module")
def panda_map(panda):
    return ReachabilityMap.compute(panda, 0.2, 100)


@pytest.fixture(scope="module")
def proof(panda, panda_map):
    return OutOfReach(panda_map, panda)


@pytest.fixture(scope="module")
def poses(panda):
    """Poses around the Panda, in reach and out of it."""
    rng = np.random.default_rng(4)
    poses = np.tile(np.eye(4), (2000, 1, 1))
    poses[:, :3, :3] = rotation_matrices(rng.normal(size=(2000, 4)))
    poses[:, :3, 3] = rng.uniform(-1.3, 1.3, (2000, 3)) + panda.joint_origins[0, :3, 3]
    return poses


def test_nothing_that_is_reached_is_called_out_of_reach(panda, proof):
    assert not proof.proves(random_reachable_poses(panda, 50_000, 99)).any()


def test_what_is_proved_has_no_solution(panda, proof, poses):
    proved = proof.proves(poses)
    found = IKSolver(panda).solve(poses, 1)
    assert not (proved & (found.counts > 0)).any()
    # Also of poses that are not simply too far away.
    near = np.linalg.norm(poses[:, :3, 3] - panda.joint_origins[0, :3, 3], axis=1) < panda.reach
    assert (proved & near).sum() > 10
    assert proved[~near].all()


def test_what_was_not_tried_is_not_proved(panda, panda_map, poses):
    tested = np.zeros_like(panda_map.reachable)
    nothing = OutOfReach(replace(panda_map, tested=tested), panda).proves(poses)
    far = np.linalg.norm(poses[:, :3, 3] - panda.joint_origins[0, :3, 3], axis=1) > panda.reach
    assert (nothing == far).all()


def test_a_map_of_a_box_proves_nothing_beyond_it(panda, poses):
    # Low, behind the base and next to it, where the Panda reaches in few orientations.
    box = ReachabilityMap.compute(panda, 0.2, 100, region=((-0.9, -0.9, -0.5), (-0.1, 0.9, 0.3)))
    beyond = (poses[:, :3, 3] > (-0.1, 0.9, 0.3)).any(axis=1)
    away = np.linalg.norm(poses[:, :3, 3] - panda.joint_origins[0, :3, 3], axis=1)
    proved = OutOfReach(box, panda).proves(poses)
    assert not proved[beyond & (away < panda.reach)].any() and proved[away > panda.reach].all()


def test_maps_that_prove_nothing_are_refused(panda, panda_map, ur10):
    with pytest.raises(InvalidArgumentError, match="of another chain"):
        OutOfReach(panda_map, ur10)
    points = ReachabilityMap.compute(panda, orientations=100, points=[[0.4, 0.0, 0.4]])
    with pytest.raises(InvalidArgumentError, match="single points"):
        OutOfReach(points, panda)
    region = (0.2, -0.2, 0.2), (0.6, 0.2, 0.6)
    cone = ReachabilityMap.compute(panda, 0.2, 60, cone=((0, 0, -1), 0.5), region=region)
    with pytest.raises(InvalidArgumentError, match="not all orientations"):
        OutOfReach(cone, panda)
    with pytest.raises(InvalidArgumentError, match="that the chain reaches"):
        OutOfReach(replace(panda_map, reachable=np.zeros_like(panda_map.reachable)), panda)


def test_a_tool_of_the_same_name_that_points_elsewhere_is_noticed(panda, panda_map):
    # The fingerprint is that of the joints alone.
    over = turn(np.array([1.0, 0.0, 0.0]), np.array(np.pi))
    other = replace(panda, tip_in_last_joint=panda.tip_in_last_joint @ over)
    assert other.fingerprint == panda.fingerprint
    with pytest.raises(InvalidArgumentError, match="another tool"):
        OutOfReach(panda_map, other)


def test_a_map_places_a_base_as_solving_does(panda, panda_map):
    hidden = np.eye(4)
    hidden[:3, 3] = 0.4, -0.2, 0.0
    q = np.random.default_rng(2).uniform(0.6 * panda.lower, 0.6 * panda.upper, (10, 7))
    tasks = hidden @ panda.forward(q)
    options = {"bounds": ((0, -0.6, 0), (0.8, 0.2, 0)), "step": 0.2, "yaw_step": 1.6,
               "num_bases": 1}  # fmt: skip
    found = place_base(panda, tasks, map=panda_map, **options)
    assert found.reached.all() and found.num_tried == 100
    solved = IKSolver(panda).solve(inverse(found.bases[0]) @ tasks, 1)
    assert solved.counts.all()
    # The map estimates more where more is reached.
    nearest = np.linalg.norm(found.cells - hidden[:3, 3], axis=1).argmin()
    corner = np.linalg.norm(found.cells - hidden[:3, 3], axis=1).argmax()
    assert found.cell_shares[nearest] > found.cell_shares[corner]


def test_maps_of_other_chains_place_nothing(panda_map, ur10):
    with pytest.raises(InvalidArgumentError, match="of another chain"):
        place_base(ur10, np.eye(4), map=panda_map)


@pytest.mark.parametrize("suffix", [".npz", ""])
def test_a_stored_map_says_what_tool_and_collisions_it_is_of(panda, panda_map, tmp_path, suffix):
    if not suffix:
        pytest.importorskip("zarr")
    panda_map.save(tmp_path / f"map{suffix}")
    stored = ReachabilityMap.load(tmp_path / f"map{suffix}")
    assert (stored.collision, stored.scene) == (False, False)
    OutOfReach(stored, panda)
    held = np.eye(4)
    held[2, 3] = 1e-3  # too little for random poses to contradict the map
    with pytest.raises(InvalidArgumentError, match="another tool.* by up to 0.001$"):
        OutOfReach(stored, with_tools(panda, {panda.tip_link: held}))
    raised = replace(panda, joint_origins=panda.joint_origins.copy())
    raised.joint_origins[0] = turn((0.0, 0.0, 1.0), 0.01) @ raised.joint_origins[0]
    with pytest.raises(InvalidArgumentError, match="another mounting"):
        OutOfReach(stored, raised)
    with pytest.raises(InvalidArgumentError, match="free of collisions of the robot and a scene,"):
        OutOfReach(replace(stored, collision=True, scene=True), panda)


def test_a_map_that_does_not_say_is_taken(panda, panda_map, proof, poses):
    silent = OutOfReach(replace(panda_map, frames=None, collision=None, scene=None), panda)
    np.testing.assert_array_equal(silent.proves(poses), proof.proves(poses))
