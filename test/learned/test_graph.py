"""Graphs of every chain at hand: right distances, and configurations back from points."""

import numpy as np
import torch
from odd_arms import coaxial
from robots import configurations

from generative_ik_ros.learned.graph.arm_graph import SPACING, ArmGraph, pairwise, recover

MANY = 40


def gaps(chain, found, q):
    """Joint differences; full turns of a revolute joint are none."""
    off = (found - q).numpy()
    turns = (off + np.pi) % (2 * np.pi) - np.pi
    return np.abs(np.where(chain.prismatic, off, turns))


def problems(chain):
    arm = ArmGraph.of(chain)
    q = configurations(chain, MANY)
    targets = torch.tensor(chain.canonical_target(chain.forward(q)))
    q = torch.tensor(q)
    return arm, q, arm.points(q), arm.partial(targets)


def test_partial_and_complete_graph_agree_wherever_both_know(chain):
    arm, _, points, (positions, distances) = problems(chain)
    known, edges = arm.known, arm.known_edges
    assert known.any()
    torch.testing.assert_close(positions[:, known], points[:, known], atol=1e-12, rtol=0)
    torch.testing.assert_close(distances[:, edges], pairwise(points)[:, edges], atol=1e-12, rtol=0)
    assert (positions[:, ~known] == 0).all()
    assert (distances[:, ~edges] == 0).all()


def test_points_of_a_joint_are_on_its_axis_where_pinocchio_free_kinematics_has_it(chain):
    """The frames of the chain as it was read are independent of canonical lines."""
    arm, q, all_points, _ = problems(chain)
    base = chain.canonical.first_joint_in_base
    frame = np.eye(4)
    for j, origin in enumerate(chain.joint_origins):
        frame = frame @ origin
        axis = frame[..., :3, :3] @ chain.joint_axes[j]
        nodes = np.flatnonzero((arm.layout.nodes["joint"] == j) & ~arm.layout.nodes["off_axis"])
        points = all_points[:, nodes].numpy() @ base[:3, :3].T + base[:3, 3]
        spacing = SPACING * float(arm.scale)
        np.testing.assert_allclose(
            points[:, 1] - points[:, 0], np.broadcast_to(spacing * axis, (MANY, 3)), atol=1e-12
        )
        if not chain.joint_prismatic[j]:
            across = np.cross(points[:, 0] - frame[..., :3, 3], axis)
            np.testing.assert_allclose(across, 0, atol=1e-12)
        position = chain.joint_multiplier[j] * q.numpy()[:, chain.joint_variable[j]]
        frame = frame @ _moved(chain, j, position + chain.joint_offset[j])


def _moved(chain, j, position):
    from scipy.spatial.transform import Rotation

    moved = np.tile(np.eye(4), (len(position), 1, 1))
    if chain.joint_prismatic[j]:
        moved[:, :3, 3] = position[:, None] * chain.joint_axes[j]
    else:
        turn = Rotation.from_rotvec(position[:, None] * chain.joint_axes[j])
        moved[:, :3, :3] = turn.as_matrix()
    return moved


def test_points_give_the_configuration_back(chain):
    arm, q, points, _ = problems(chain)
    assert gaps(chain, recover(arm, points), q).max() < 1e-9


def test_points_nearby_give_a_configuration_nearby(chain):
    """Noise of a thousandth of the arm's length moves no joint by more than a few hundredths."""
    arm, q, points, _ = problems(chain)
    noise = torch.randn(points.shape, generator=torch.Generator().manual_seed(0))
    found = recover(arm, points + 1e-3 * arm.scale * noise)
    assert np.median(gaps(chain, found, q)) < 0.03 or chain.num_joints < 2


def test_structure_edges_are_the_distances_that_links_keep():
    chain = coaxial()
    arm = ArmGraph.of(chain)
    distances = pairwise(arm.points(torch.tensor(configurations(chain, 50))))
    kept = (distances.amax(0) - distances.amin(0)) < 1e-9
    structure = torch.tensor(arm.layout.structure) | torch.eye(len(kept), dtype=torch.bool)
    assert (kept | ~structure).all()
    # Points of one axis keep their distance from a point of another link on the same line only.
    on_lines = torch.tensor(~arm.layout.nodes["off_axis"])
    extra = kept & ~structure
    assert (on_lines[:, None] | on_lines)[extra].all()


def test_a_prismatic_joint_has_two_pairs_and_their_distance_is_its_position():
    chain = coaxial()
    arm = ArmGraph.of(chain)
    q = torch.tensor(configurations(chain, 20))
    points = arm.points(q)
    before, _, after, _ = np.flatnonzero(
        (arm.layout.nodes["joint"] == 3) & ~arm.layout.nodes["off_axis"]
    )
    gap = (points[:, after] - points[:, before]).norm(dim=-1)
    torch.testing.assert_close(gap, q[:, 3].abs(), atol=1e-12, rtol=0)
