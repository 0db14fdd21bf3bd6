"""Closed loops: forward kinematics against MuJoCo, one robot in three formats, solutions."""

import warnings
from itertools import product

import numpy as np
import pytest
import yaml
from loop_robots import (
    DELTA,
    FINGER,
    FIVE_BAR,
    MECHANISMS,
    PALLETIZER,
    Hinge,
    Mechanism,
    in_mujoco,
)

from generative_ik_ros import IKSolver, KinematicChain, KinematicTree, TaskSpaceRegion
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.errors import (
    ClosedLoopError,
    GenerativeIKWarning,
    InvalidArgumentError,
    InvalidTargetError,
    RobotDescriptionError,
    UnknownNameError,
    UnsupportedChainError,
)
from generative_ik_ros.robot.chain_or_tree import chain_or_tree
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.loop_files import with_loops
from generative_ik_ros.robot.random_poses import random_configurations
from generative_ik_ros.robot.rigid import wrapped
from generative_ik_ros.robot.tree import link_transforms
from generative_ik_ros.select.preferences import manipulability
from generative_ik_ros.self_motion import self_motion

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=MECHANISMS)
def case(request):
    """A mechanism, its tree from a URDF, its mobility, and closed configurations."""
    mechanism, tip, motors = MECHANISMS[request.param]
    tree = mechanism.tree(tip)
    return mechanism, tree, len(motors), random_configurations(tree, 60, 1)


def test_mobility_is_what_the_mechanism_has(case):
    _, tree, mobility, _ = case
    assert tree.mobility == mobility


def test_closed_configurations_are_closed_and_within_limits(case):
    _, tree, _, q = case
    distances, angles = tree.closure_errors(q)
    assert max(distances.max(), angles.max()) < 1e-9
    assert (q >= tree.lower).all() and (q <= tree.upper).all()
    # An open one is not closed, and says so.
    moved = q[0] + 0.1
    assert tree.closure_errors(moved)[0].max() > 1e-3


def test_every_pose_of_a_closed_configuration_is_solved(case):
    _, tree, _, q = case
    poses = tree.forward(q)
    found = IKSolver(tree).solve(poses[:, 0], 1)
    assert (found.counts == 1).all()
    for t, pose in enumerate(poses):
        (one,) = found.of(t)
        assert np.abs(tree.forward(one) - pose).max() < 2e-5
        distances, angles = tree.closure_errors(one)
        assert max(distances.max(), angles.max()) <= 1e-5


def test_the_configuration_of_a_pose_is_among_all_solutions(case):
    _, tree, _, q = case
    found = IKSolver(tree).solve(tree.forward(q[:10])[:, 0], 100)
    for t, one in enumerate(q[:10]):
        gaps = np.abs(found.of(t) - one)
        assert gaps.max(axis=1).min() < 0.06  # solutions nearer than 0.05 are one


def test_as_mujoco_places_them(case):
    mechanism, tree, _, q = case
    tips, gap = in_mujoco(mechanism, tree, q)
    np.testing.assert_allclose(tips, tree.forward(q)[:, 0], atol=1e-10)
    assert gap < 1e-9


def test_mjcf_has_the_same_loops(case):
    pytest.importorskip("mujoco")
    mechanism, tree, mobility, q = case
    other = KinematicTree.from_urdf(mechanism.mjcf(), mechanism.root, tree.tip_links)
    assert other.names == tree.names
    np.testing.assert_allclose(other.forward(q), tree.forward(q), atol=1e-12)
    assert other.closure_errors(q)[0].max() < 1e-9
    # A connect holds points: about the lines between two of them, rods may turn.
    assert other.mobility == (7 if mechanism is DELTA else mobility)


def test_sdf_has_the_same_loops():
    # An SDF's links are placed where all loops are closed, as only those of this one are at zero.
    tree = PALLETIZER.tree("tool")
    q = random_configurations(tree, 60, 1)
    other = KinematicTree.from_urdf(PALLETIZER.sdf(), "base", ["tool"])
    assert (other.names, other.mobility) == (tree.names, 4)
    np.testing.assert_allclose(other.forward(q), tree.forward(q), atol=1e-12)
    assert other.closure_errors(q)[0].max() < 1e-9
    assert other.fingerprint == tree.fingerprint


def natural_answers(pose):
    """Return turn, shoulder, elbow, flange of all ways to a pose of a level hand, by geometry."""
    x, y, z = pose[:3, 3]
    found = []
    for out in (1.0, -1.0):
        turn = np.arctan2(out * y, out * x)
        # In the arm's plane: from the shoulder to the wrist, behind a hand that stays level.
        across = out * np.hypot(x, y) - 0.2
        up = z + 0.05 - 0.5
        upper, fore = 0.5, 0.6
        cosine = (across**2 + up**2 - upper**2 - fore**2) / (2.0 * upper * fore)
        if abs(cosine) > 1.0:
            continue
        for bend in (1.0, -1.0):
            # The angle from the upper arm, which points up, to the forearm, which points out.
            between = bend * np.arccos(cosine)
            whole = np.arctan2(across, up)
            shoulder = whole - np.arctan2(fore * np.sin(between), upper + fore * np.cos(between))
            elbow = between - np.pi / 2.0
            flange = np.arctan2(pose[1, 0], pose[0, 0]) - turn
            found.append([turn, shoulder, elbow, flange])
    return wrapped(np.array(found).reshape(-1, 4))


def test_a_palletizer_is_solved_in_all_ways_that_geometry_knows():
    tree = PALLETIZER.tree("tool")
    column = [tree.names.index(n) for n in ("turn", "shoulder", "elbow", "flange")]
    q = random_configurations(tree, 60, 3)
    poses = tree.forward(q)[:, 0]
    found = IKSolver(tree).solve(poses, 100)
    followers = {  # by hand: what is level stays level, and the rod drives the forearm
        "plate": lambda a, b: -a,
        "stay": lambda a, b: a,
        "tie": lambda a, b: a + b,
        "wrist": lambda a, b: -a - b,
        "crank": lambda a, b: a + b,
        "rod": lambda a, b: -b,
    }
    for t, pose in enumerate(poses):
        expected, margin = [], 1e-6
        for turn, shoulder, elbow, flange in natural_answers(pose):
            whole = {"turn": turn, "shoulder": shoulder, "elbow": elbow, "flange": flange}
            whole |= {name: rule(shoulder, elbow) for name, rule in followers.items()}
            row = np.array([whole[name] for name in tree.names])
            if (row >= tree.lower - margin).all() and (row <= tree.upper + margin).all():
                expected.append(row)
        got = found.of(t)
        assert len(got) == len(expected) >= 1
        for row in expected:
            assert np.abs(got - row).max(axis=1).min() < 1e-3
        assert np.abs(got[:, column[1]] + got[:, tree.names.index("plate")]).max() < 3e-5


def test_parallelograms_never_cross():
    # Without the rod's own joint as a limit, a crossed one would be a solution as well.
    tree = PALLETIZER.tree("tool")
    crossed = tree.close(np.zeros(tree.num_joints))
    (rod,), (elbow,) = ([tree.names.index(n)] for n in ("rod", "elbow"))
    rng = np.random.default_rng(5)
    q = tree.close(np.clip(rng.normal(0.0, 0.2, (50, tree.num_joints)), tree.lower, tree.upper))
    assert np.abs(q[:, rod] + q[:, elbow]).max() < 1e-8
    assert np.abs(crossed).max() < 1e-8
    names = [closure.name for closure in tree.closures]
    assert names == [f"the loop '{pin.name}'" for pin in PALLETIZER.pins] * 2


def test_a_chain_through_a_loop_names_what_can_have_it():
    with pytest.raises(ClosedLoopError, match=r"KinematicTree.from_urdf\(source, 'base', \['tool"):
        KinematicChain.from_urdf(PALLETIZER.urdf(), "base", "tool", loops=PALLETIZER.loops())
    tree = chain_or_tree(PALLETIZER.urdf(), "base", "tool", loops=PALLETIZER.loops())
    assert isinstance(tree, KinematicTree) and tree.closures
    # Before the loops, and without them, it is a chain.
    how = {"loops": PALLETIZER.loops()}
    assert KinematicChain.from_urdf(PALLETIZER.urdf(), "base", "column", **how).num_joints == 1
    assert isinstance(chain_or_tree(PALLETIZER.urdf(), "base", "column", **how), KinematicChain)
    assert isinstance(chain_or_tree(PALLETIZER.urdf(), "base", "tool"), KinematicChain)


def test_joints_that_stand_open_no_loop():
    held = PALLETIZER.tree("tool", fixed={"shoulder": 0.3, "turn": 0.0})
    assert held.mobility == 2 and "plate" in held.names
    found = IKSolver(held).solve(held.forward(random_configurations(held, 20, 0))[:, 0], 1)
    assert found.counts.all()
    assert "stay" in held.names  # only where it can follow are loops closed
    with pytest.raises(RobotDescriptionError, match="no configuration within the joint limits"):
        PALLETIZER.tree("tool", fixed={"shoulder": 0.3, "plate": 0.5})
    all_stand = {"drive": 0.1, "coupler": 0.2, "follower": 0.3}
    with pytest.raises(RobotDescriptionError, match="all joints between"):
        KinematicChain.from_urdf(FINGER.urdf(), "palm", "tip", fixed=all_stand)


def test_limits_that_leave_no_closed_configuration_are_said():
    with pytest.raises(RobotDescriptionError, match="closes the loop 'rod_end'"):
        PALLETIZER.tree("tool", joint_limits={"elbow": (1.0, 1.5), "rod": (0.5, 1.0)})


def test_targets_of_one_tip_are_as_those_of_a_chain():
    tree = PALLETIZER.tree("tool")
    solver, poses = IKSolver(tree), tree.forward(random_configurations(tree, 3, 0))
    assert poses.shape == (3, 1, 4, 4)
    shapes = poses[0, 0], poses[0], poses[:, 0], poses
    assert [len(solver.solve(one, 1).counts) for one in shapes] == [1, 1, 3, 3]
    with pytest.raises(InvalidTargetError, match="for a tree of one tip"):
        solver.solve(poses[:, [0, 0]], 1)


def test_tolerances_of_a_tip_do_not_open_loops():
    tree = PALLETIZER.tree("tool")
    q = random_configurations(tree, 10, 4)
    tilted = tree.forward(q)[:, 0].copy()
    tilt = np.eye(4)
    tilt[1:3, 1:3] = [[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]]
    tilted = tilted @ tilt
    tipped = IKSolver(tree).solve(tilted, 1)
    assert tree.closure_errors(tipped.best_effort)[0].max() < 1e-9
    tips = tree.forward(tipped.best_effort)[:, 0, :3, 3]
    away = np.linalg.norm(tips - tilted[:, :3, 3], axis=1)
    np.testing.assert_allclose(tipped.best_effort_position_error, away, atol=1e-9)
    assert not tipped.counts.any()
    assert "this arm has 4 joints besides those that follow in loops" in repr(tipped)
    far = tree.forward(q)[0, 0].copy()
    far[0, 3] = 3.0
    best = IKSolver(tree).solve(far, 1)
    assert tree.closure_errors(best.best_effort)[0].max() < 1e-9
    away = tree.forward(best.best_effort[0])[0, :3, 3] - far[:3, 3]
    np.testing.assert_allclose(best.best_effort_position_error[0], np.linalg.norm(away), atol=1e-9)
    for solver, region in (
        (IKSolver(tree, orientation_tolerance=np.inf), None),
        (IKSolver(tree), TaskSpaceRegion.position_only()),
    ):
        found = solver.solve(tilted, 5, region=region)
        assert found.counts.all()
        for t in range(len(q)):
            distances, angles = tree.closure_errors(found.of(t))
            assert max(distances.max(), angles.max()) <= 1e-5
            tips = tree.forward(found.of(t))[:, 0, :3, 3]
            assert np.abs(tips - tilted[t, :3, 3]).max() < 2e-5


def test_the_nearest_solution_to_a_seed_state():
    tree = PALLETIZER.tree("tool")
    q = random_configurations(tree, 20, 6)
    near = np.clip(q + 0.02, tree.lower, tree.upper)
    found = IKSolver(tree).solve(tree.forward(q)[:, 0], 1, near)
    for t, one in enumerate(q):
        assert np.abs(found.of(t) - one).max() < 1e-3


def test_close_moves_what_it_may():
    tree = PALLETIZER.tree("tool")
    rng = np.random.default_rng(2)
    motors = ["turn", "shoulder", "crank", "flange"]
    start = np.zeros((30, tree.num_joints))
    held = [tree.names.index(name) for name in motors]
    start[:, held] = rng.uniform(-0.4, 0.4, (30, 4))
    q = tree.close(start, hold=motors)
    np.testing.assert_array_equal(q[:, held], start[:, held])
    assert tree.closure_errors(q)[0].max() < 1e-9
    elbow = q[:, tree.names.index("elbow")]
    np.testing.assert_allclose(elbow, start[:, held[2]] - start[:, held[1]], atol=1e-8)
    assert tree.close(start[0], hold=motors).shape == (tree.num_joints,)
    with pytest.raises(UnknownNameError, match="choose from: turn, shoulder"):
        tree.close(start, hold=["motor"])
    start[0, tree.names.index("rod")] = 1.0
    with pytest.raises(InvalidArgumentError, match="the loop 'rod_end' of configuration 0 cannot"):
        tree.close(start, hold=[*motors, "rod"])


def test_what_needs_open_chains_says_so():
    tree = PALLETIZER.tree("tool")
    with pytest.raises(UnsupportedChainError, match="position_only"):
        IKSolver(tree, prefer="position")
    with pytest.raises(UnsupportedChainError, match="without loops"):
        IKSolver(tree, "postures")


def test_a_score_is_that_of_motions_that_keep_loops_closed():
    tree = FIVE_BAR.tree("pen")
    q = random_configurations(tree, 5, 0)
    by_hand = []
    for one in q:
        # The pen's motion by three joints that are chosen, the others following.
        chosen = [tree.names.index(n) for n in ("left", "right", "pen")]
        _, closing = tree.closures_and_jacobian(one)
        rows = closing[0, :2]
        rest = [k for k in range(tree.num_joints) if k not in chosen]
        follow = np.zeros((tree.num_joints, 3))
        follow[chosen] = np.eye(3)
        follow[rest] = -np.linalg.solve(rows[:, rest], rows[:, chosen])
        directions = np.linalg.qr(follow)[0]
        values = np.linalg.svd(tree.jacobian(one)[0] @ directions, compute_uv=False)
        by_hand.append(values.prod())
    np.testing.assert_allclose(manipulability(tree, q), by_hand, rtol=1e-6)


def test_a_redundant_arm_with_a_loop_spreads_over_its_self_motion():
    # Two joints more than a plane needs, of which a loop takes none from the tip's freedom.
    hinges = (
        *FIVE_BAR.hinges,
        Hinge("more", "pen", "pen_2", (0.1, 0.0, 0.0), (0.0, 0.0, 1.0)),
    )
    arm = Mechanism("base", hinges, FIVE_BAR.pins)
    tree = arm.tree("pen_2")
    assert tree.mobility == 4
    pose = tree.forward(random_configurations(tree, 1, 0))[0]
    upper = np.array([0.0, 0.0, np.inf, np.pi, np.pi, 0.0])
    in_plane = TaskSpaceRegion(0.0 - upper, upper)
    solver, how = IKSolver(tree), {"region": in_plane, "order_by": "limit_margin"}
    found = solver.solve(pose, 60, region=in_plane)
    assert found.counts[0] == 60
    motion = self_motion(tree, tree.close(found.of(0)[0]), step=0.02)
    assert len(motion.positions) > 20 and tree.closure_errors(motion.positions)[0].max() < 1e-8
    best = solver.solve(pose, 10, optimize=True, **how)
    assert best.scores is not None and best.counts[0]
    plain = solver.solve(pose, 10, **how)
    assert plain.scores is not None and best.scores[0, 0] >= plain.scores[0, 0]
    assert tree.closure_errors(best.of(0))[0].max() <= 1e-5


def test_loops_that_couple_two_tips():
    tree = FIVE_BAR.tree("pen", "right_arm")
    q = random_configurations(tree, 20, 0)
    poses = tree.forward(q)
    assert poses.shape == (20, 2, 4, 4)
    found = IKSolver(tree).solve(poses, 1)
    assert found.counts.all()
    assert tree.jacobian(q).shape == (20, 2, 6, 5)


def test_loops_of_a_file_and_what_is_wrong_with_them(tmp_path):
    file = tmp_path / "loops.yaml"
    file.write_text(yaml.safe_dump(PALLETIZER.loops()))
    tree = PALLETIZER.tree("tool", loops=file)
    assert tree.fingerprint == PALLETIZER.tree("tool").fingerprint

    def refuse(kind, match, **changes):
        pin = PALLETIZER.loops()["loops"]["rod_end"] | changes
        pin = {key: value for key, value in pin.items() if value is not None}
        with pytest.raises(kind, match=match):
            PALLETIZER.tree("tool", loops={"loops": {"rod_end": pin}})

    refuse(UnknownNameError, "unknown type of a loop 'gear'; choose from: ball", type="gear")
    refuse(UnknownNameError, "unknown key of loop 'rod_end' 'axes'", axes=[0, 0, 1])
    refuse(UnknownNameError, "unknown link 'no'", parent={"link": "no"})
    refuse(InvalidArgumentError, "needs type, parent, child; it has no child", child=None)
    refuse(InvalidArgumentError, "has no axis", axis=None)
    refuse(InvalidArgumentError, "zero axis", axis=[0, 0, 0])
    refuse(InvalidArgumentError, "axis must be 3 numbers", axis=[0, 1])
    refuse(InvalidArgumentError, "must be 3 numbers", child={"link": "fore", "xyz": "0 0 0"})
    refuse(InvalidArgumentError, "is fixed, which has no axis", type="fixed")
    refuse(InvalidArgumentError, "lower limit 1 is above upper 0", limits=[1, 0])
    refuse(InvalidArgumentError, "joins link 'fore' to itself", parent={"link": "fore"})
    refuse(InvalidArgumentError, "must be a mapping", parent="fore")
    for loops, match in (
        ({"loop": {}}, "unknown key of loops= 'loop'"),
        (tmp_path / "none.yaml", "cannot be read"),
        ({"loops": [1]}, "must be a mapping by name"),
    ):
        with pytest.raises((InvalidArgumentError, UnknownNameError), match=match):
            PALLETIZER.tree("tool", loops=loops)


def test_a_loop_of_an_extension_is_closed_by_saying_where_its_ends_are():
    pin = FINGER.pins[0]
    known = (
        f"<gazebo><joint name='{pin.name}'><parent>{pin.links[0]}</parent>"
        f"<child>{pin.links[1]}</child></joint></gazebo></robot>"
    )
    text = FINGER.urdf().replace("</robot>", known)
    with pytest.warns(GenerativeIKWarning, match="say with loops= where its ends are"):
        assert KinematicChain.from_urdf(text, "palm", "tip").num_joints == 2
    tree = KinematicTree.from_urdf(text, "palm", ["tip"], loops=FINGER.loops())
    assert tree.mobility == 1 and len(tree.description.loops) == 1


def delta_motors(rim):
    """Return the positions of each motor (3, up to 2) that reach a rim, by geometry."""
    every = []
    for k in range(3):
        angle = 2.0 * np.pi * k / 3
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        ankle = rim[:3, 3] + 0.08 * (out - [1.0, 0.0, 0.0])
        # In the arm's plane: 0.25 m to the knee, from there 0.5 m to the ankle, partly aside.
        aside = ankle @ [-np.sin(angle), np.cos(angle), 0.0]
        x, down, rod = ankle @ out - 0.2, -ankle[2], np.sqrt(0.5**2 - aside**2)
        far = np.hypot(x, down)
        cosine = (0.25**2 + far**2 - rod**2) / (2.0 * 0.25 * far)
        towards, spread = np.arctan2(down, x), np.arccos(np.clip(cosine, -1.0, 1.0))
        motors = wrapped(towards + np.array([-spread, spread])) if abs(cosine) <= 1.0 else []
        every.append([a for a in motors if -1.2 - 1e-6 <= a <= 1.2 + 1e-6])
    return every


def test_a_delta_is_solved_in_all_ways_that_geometry_knows():
    tree = DELTA.tree("rim")
    q = random_configurations(tree, 60, 8)
    poses = tree.forward(q)[:, 0]
    np.testing.assert_allclose(poses[:, :3, :3], np.eye(3)[None].repeat(60, 0), atol=1e-8)
    # Finely, as stretched arms hardly move a tip.
    found = IKSolver(tree, "auto", "auto", 1e-9, 1e-9).solve(poses, 100)
    motors, several = [tree.names.index(f"motor_{k}") for k in range(3)], 0
    for t, pose in enumerate(poses):
        got, expected = found.of(t)[:, motors], list(product(*delta_motors(pose)))
        for one in got:
            assert min(np.abs(one - np.array(other)).max() for other in expected) < 1e-3
        for other in expected:  # solutions nearer than 0.05 are one
            assert np.abs(got - np.array(other)).max(axis=1).min() < 0.06
        assert len(got) >= 1
        several += len(expected) > 1
    assert several > 5


def test_joints_of_a_loop_that_cannot_be_used_are_named():
    text = FINGER.urdf().replace('"coupler" type="revolute"', '"coupler" type="floating"')
    loops = {"loops": FINGER.loops()["loops"]}
    with pytest.raises(RobotDescriptionError, match="'coupler' in the loop 'knuckle' is floating"):
        KinematicTree.from_urdf(text, "palm", ["follower_link"], loops=loops)
    assert KinematicChain.from_urdf(text, "palm", "crank", loops=None).num_joints == 1


def test_a_loop_of_fixed_joints_that_is_open_is_warned_of():
    held = {"drive": 0.0, "coupler": 0.3, "follower": 0.0}
    more = Hinge("more", "tip", "nail", (0.01, 0.0, 0.0))
    finger = Mechanism("palm", (*FINGER.hinges, more), FINGER.pins)
    args = finger.urdf(), "palm", "nail"
    with pytest.warns(GenerativeIKWarning, match="the loop 'knuckle' is open by 0.0"):
        chain = KinematicChain.from_urdf(*args, fixed=held, loops=finger.loops())
    assert chain.names == ("more",)
    tree = finger.tree("nail")
    closed = dict(zip(tree.names, tree.close(np.zeros(4)), strict=True))
    held = {name: closed[name] for name in held}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KinematicChain.from_urdf(*args, fixed=held, loops=finger.loops())


def test_solutions_behind_loops_are_free_of_collisions():
    ball = '<collision><geometry><sphere radius="0.04"/></geometry></collision>'
    text = PALLETIZER.urdf()
    for link in ("fore", "hand", "tool", "rod_link", "plate_link"):
        text = text.replace(f'<link name="{link}"/>', f'<link name="{link}">{ball}</link>')
    described = with_loops(RobotDescription.from_urdf(text), PALLETIZER.loops())
    model = CollisionModel.from_urdf(described)
    assert frozenset(("rod_link", "fore")) in model.unchecked  # which a loop joins
    tree = KinematicTree.from_urdf(described, "base", ["tool"])
    solver, q = IKSolver(tree, collision=model), random_configurations(tree, 40, 9)
    poses = tree.forward(q)[:, 0]
    assert solver.solve(poses, 1).counts.sum() > 30
    elbow = link_transforms(described, dict(zip(tree.names, q.T, strict=True)), "base")["fore"]
    found = [
        solver.solve(pose, 5, scene=Scene(spheres=[(0.05, frame[:3, 3])]))
        for pose, frame in zip(poses, elbow, strict=True)
    ]
    # What has its elbow there is in the way; few poses have another solution.
    assert sum(int(one.counts[0]) for one in found) < 15
    blocked = [pair for one in found for pair in one.blocked_by or () if pair is not None]
    assert len(blocked) > 20 and all({"fore", "plate_link"} & set(pair) for pair in blocked)


def test_there_may_be_only_so_many():
    many = "".join(
        RUNG.format(k=k, parent="base" if k == 0 else f"link_{k - 1}") for k in range(30)
    )
    ends = {"parent": {"link": "base"}, "type": "ball"}
    loops = {f"loop_{k}": ends | {"child": {"link": f"link_{k}"}} for k in range(30)}
    text = f'<robot name="many"><link name="base"/>{many}</robot>'
    with pytest.raises(RobotDescriptionError, match="30 loops and couplings .* at most 24"):
        KinematicTree.from_urdf(text, "base", ["link_29"], loops={"loops": loops})
    with pytest.raises(InvalidArgumentError, match="a mapping or a path, not int"):
        PALLETIZER.tree("tool", loops=3)
    rows = HINGE_OF_SDF * 101
    for k in range(101):
        rows = rows.replace("NAME", f"hinge_{k}", 1)
    sdf = (
        f'<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/>{rows}</model></sdf>'
    )
    assert len(RobotDescription.from_urdf(sdf).loops) == 100
    rows = HINGE_OF_SDF.replace("NAME", "one_more")
    with pytest.raises(RobotDescriptionError, match="more than 100 closed loops"):
        RobotDescription.from_urdf(sdf.replace("</model>", f"{rows}</model>"))


RUNG = (
    '<link name="link_{k}"/><joint name="joint_{k}" type="revolute"><parent link="{parent}"/>'
    '<child link="link_{k}"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint>'
)
HINGE_OF_SDF = (
    '<joint name="NAME" type="revolute"><parent>a</parent><child>b</child>'
    "<axis><xyz>0 0 1</xyz></axis></joint>"
)


def test_a_tree_without_loops_has_nothing_to_close():
    tree = FIVE_BAR.tree("pen", "right_rod", loops=None)
    q = np.full((4, tree.num_joints), 0.3)
    np.testing.assert_array_equal(tree.close(q), q)
    assert tree.closure_errors(q)[0].shape == (4, 0) and tree.mobility == tree.num_joints
