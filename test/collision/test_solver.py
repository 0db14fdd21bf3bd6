"""Solutions free of collisions: what the solver promises, with obstacles around."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

pytest.importorskip("pinocchio")
pytest.importorskip("coal")
from arm import Oracle
from clock import in_time

from generative_ik_ros import CollisionModel, IKSolver, Scene, SolveStatus, TaskSpaceRegion
from generative_ik_ros.collision.shapes import Mesh
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.select.preferences import limit_margin, manipulability


@pytest.fixture(scope="module")
def plain(arm):
    return IKSolver(arm)


@pytest.fixture(scope="module")
def problems(arm, arm_model, arm_urdf, random_scene):
    """Scenes and poses that are reached without a collision: of free random configurations."""
    found, rng = [], np.random.default_rng(5)
    while len(found) < 12:
        scene = random_scene(rng, 12)
        oracle = Oracle(arm_urdf, scene)
        for q in rng.uniform(arm.lower, arm.upper, (20, 7)):
            if oracle.free(q) and oracle.distance(q) > 1e-3:
                found.append((scene, oracle, q))
                break
    return found


@pytest.mark.parametrize("count", [1, 8, 20])
def test_a_batch_ends_where_all_solutions_collide(arm, solver, count):
    """Beside solutions that collide there are always more of them, as many as are looked for."""
    buried = Scene(boxes={"rubble": ((0.3, 0.3, 0.3), (0.0, 0.0, 0.35))})
    rng = np.random.default_rng(3)
    targets = arm.forward(rng.uniform(arm.lower, arm.upper, (count, 7)))
    region = TaskSpaceRegion.position_only()
    found = solver.solve(targets, 1, timeout=20.0, scene=buried, region=region)
    assert set(found.status) == {SolveStatus.NO_SOLUTION}
    assert all("rubble" in pair for pair in found.blocked_by)


def test_every_solution_is_free_and_exact(arm, solver, problems):
    for scene, oracle, witness in problems:
        target = arm.forward(witness)
        found = solver.solve(target, 30, scene=scene)
        assert found.counts[0] > 0
        q = found.of(0)
        assert all(oracle.free(one) for one in q)
        assert np.abs(arm.forward(q) - target).max() < 3e-5
        assert ((q >= arm.lower) & (q <= arm.upper)).all()
        assert len({tuple(np.round(one, 3)) for one in q}) == len(q)
        # Exact distances take the oracle longer than all the rest.
        true = np.array([oracle.distance(one) for one in q[::3]])
        assert (found.clearance[0, : len(q) : 3] <= true + 1e-9).all()
        assert np.isnan(found.clearance[0, len(q) :]).all()


def test_nothing_is_missed(arm, plain, solver, problems):
    """As many solutions as there are when a thousand are filtered afterwards, up to thirty."""
    for scene, oracle, witness in problems:
        target = arm.forward(witness)
        filtered = sum(oracle.free(q) for q in plain.solve(target, 300).of(0))
        assert solver.solve(target, 30, scene=scene).counts[0] >= min(filtered, 30)


def test_without_a_scene_the_robot_does_not_hit_itself(arm, arm_urdf, plain, solver, rng):
    oracle = Oracle(arm_urdf)
    hit = 0
    for q in rng.uniform(arm.lower, arm.upper, (20, 7)):
        if oracle.free(q):
            target = arm.forward(q)
            assert all(map(oracle.free, solver.solve(target, 50).of(0)))
            hit += not all(map(oracle.free, plain.solve(target, 50).of(0)))
    assert hit


def test_solutions_that_nearly_touch_come_last(arm, solver, problems):
    """A tenth of a millimetre from an obstacle is free, and of no use while there are others."""
    grazing = 0
    for scene, _, witness in problems:
        target = arm.forward(witness)
        near = solver.solve(target, 1, scene=scene).of(0)[0]
        room = float(solver.clearance(near, scene=scene))
        if not 1e-3 < room < solver.clearance(near):
            continue  # The robot's own links, which are not padded, are nearer.
        closer = Scene.of(scene.obstacles, padding=room - 1e-4)
        every = solver.solve(target, 300, scene=closer).clearance - closer.padding
        if (every > 1e-3).sum() < 20:
            continue  # The obstacle is near the tip, whose place is the same for all.
        for count in (1, 3):
            found = solver.solve(target, count, scene=closer)
            assert found.clearance[0].min() - closer.padding >= 5e-4
        grazing += 1
    assert grazing >= 3


def test_a_batch_gives_what_single_calls_give(arm, solver, problems):
    scene = problems[0][0]
    rng = np.random.default_rng(1)
    targets = arm.forward(rng.uniform(arm.lower, arm.upper, (150, 7)))
    for count in (1, 4):
        together = solver.solve(targets, count, scene=scene)
        again = solver.solve(targets, count, scene=scene)
        np.testing.assert_array_equal(together.positions, again.positions)
        for b in range(0, 150, 10):
            alone = solver.solve(targets[b], count, scene=scene)
            assert alone.counts[0] == together.counts[b]


def test_the_nearest_free_solution_comes_first(arm, solver, plain, problems):
    """No free one of a thousand solutions is nearer to the seed state."""
    for scene, oracle, witness in problems:
        rng = np.random.default_rng(2)
        seed = np.clip(witness + rng.normal(scale=0.2, size=7), arm.lower, arm.upper)
        target = arm.forward(witness)
        found = solver.solve(target, 5, seed_state=seed, scene=scene)
        assert found.counts[0] > 0 and all(map(oracle.free, found.of(0)))
        gaps = np.linalg.norm(found.of(0) - seed, axis=1)
        assert (np.diff(gaps) >= -1e-9).all()
        others = plain.solve(target, 300, seed_state=seed).of(0)
        free = [q for q in others if oracle.free(q)]
        nearest = min(np.linalg.norm(q - seed) for q in [*free, witness])
        assert gaps[0] <= nearest + 0.05


def test_one_solution_near_a_seed_is_the_nearest_if_that_is_free(arm, solver, plain, problems):
    moved = kept = 0
    for k, (scene, oracle, witness) in enumerate(problems):
        rng = np.random.default_rng(k)
        seeds = np.clip(witness + rng.uniform(-0.6, 0.6, (8, 7)), arm.lower, arm.upper)
        target, limits = arm.forward(witness), np.full(7, 0.6 + 1e-9)
        for seed in seeds:
            nearest = plain.solve(target, 1, seed).of(0)[0]
            for more in ({}, {"timeout": 1.0}, {"consistency_limits": limits}):
                found = solver.solve(target, 1, seed, scene=scene, **more)
                q = found.of(0)[0]
                assert oracle.free(q) and np.abs(arm.forward(q) - target).max() < 3e-5
                assert found.clearance[0, 0] <= oracle.distance(q) + 1e-9
                assert found.blocked_by == (None,) and found.status[0] == SolveStatus.SOLVED
                if more.get("consistency_limits") is not None:
                    assert (np.abs(q - seed) <= limits).all()
                elif oracle.free(nearest) and oracle.distance(nearest) > 1e-3:
                    np.testing.assert_array_equal(q, nearest)
                    kept += 1
                else:
                    moved += np.abs(q - nearest).max() > 1e-3
        together = solver.solve(np.stack([target] * 8), 1, seeds, scene=scene)
        for t in range(8):
            alone = solver.solve(target, 1, seeds[t], scene=scene)
            np.testing.assert_array_equal(together.of(t), alone.of(0))
    assert kept > 20 and moved > 5


def test_consistency_limits_hold(arm, solver, problems):
    for scene, oracle, witness in problems[:6]:
        limits = np.full(7, 0.4)
        found = solver.solve(
            arm.forward(witness), 20, seed_state=witness, consistency_limits=limits, scene=scene
        )
        assert found.counts[0] > 0
        assert (np.abs(found.of(0) - witness) <= limits + 1e-9).all()
        assert all(map(oracle.free, found.of(0)))


def test_deadlines_hold(arm, solver, problems):
    scene, oracle, witness = problems[0]
    targets = np.repeat(arm.forward(witness)[None], 400, axis=0)
    for timeout in (0.002, 0.02):
        call = partial(solver.solve, targets, 50, timeout=timeout, scene=scene)
        found = in_time(call, timeout + 0.05)
        for b in np.flatnonzero(found.counts)[:20]:
            assert all(map(oracle.free, found.of(b)))


def test_what_is_reached_in_collision_only_is_said(arm, solver):
    """A pose inside a wall, and one out of reach."""
    wall = Scene(boxes={"wall": ((0.4, 4.0, 4.0), (0.65, 0.0, 0.0))})
    q = np.array([0.0, 0.6, 0.0, -1.0, 0.0, 1.6, 0.0])
    target = arm.forward(q)
    target[:3, 3] = (0.6, 0.0, 0.4)
    found = solver.solve(target, 10, scene=wall)
    assert found.status == (SolveStatus.NO_SOLUTION,)
    assert found.blocked_by[0][1] == "wall"
    assert (
        found.best_effort_message()
        == f"reached in collision only: {found.blocked_by[0][0]} with wall"
    )
    assert found.best_effort_position_error[0] < 1e-5
    assert "reached in collision only" in repr(found)
    target[:3, 3] = (5.0, 0.0, 0.0)
    found = solver.solve(target, 10, scene=wall)
    assert found.blocked_by == (None,)
    assert found.best_effort_message().startswith("out of reach; closest: ")


def test_a_scene_around_the_base_is_answered_in_time(arm, solver):
    cage = Scene(boxes={"block": ((3.0, 3.0, 3.0), (0.0, 0.0, 0.0))})
    target = arm.forward(np.array([0.0, 0.3, 0, -1.2, 0, 1.5, 0]))
    found = in_time(lambda: solver.solve(target, 20, scene=cage), 2.0)
    assert found.counts[0] == 0 and found.blocked_by[0][1] == "block"


@pytest.mark.slow
def test_ten_thousand_obstacles_are_answered_in_time(arm, solver, rng):
    at = rng.uniform(-1.0, 1.0, (10_000, 3)) + [2.5, 0.0, 0.0]
    scene = Scene(boxes=[((0.01, 0.01, 0.01), p) for p in at])
    target = arm.forward(np.array([0.0, 0.3, 0, -1.2, 0, 1.5, 0]))
    solver.solve(target, 1, scene=scene)
    found = in_time(lambda: solver.solve(target, 20, scene=scene), 1.0)
    assert found.counts[0] == 20


def test_misuse_is_named(arm, arm_urdf, arm_model, solver, plain):
    target = np.eye(4)
    with pytest.raises(InvalidArgumentError, match="need the robot's geometry"):
        plain.solve(target, scene=Scene())
    with pytest.raises(InvalidArgumentError, match="need the robot's geometry"):
        plain.clearance(np.zeros(7))
    with pytest.raises(InvalidArgumentError, match="scene must be a Scene"):
        solver.solve(target, scene="kitchen.yaml")
    with pytest.raises(InvalidArgumentError, match="collision must be a CollisionModel"):
        IKSolver(arm, collision="arm.urdf")
    with pytest.raises(UnknownNameError, match="unknown link 'nowhere'"):
        solver.solve(target, scene=Scene(boxes=[((1, 1, 1), (5, 5, 5))], frame="nowhere"))
    with pytest.raises(InvalidArgumentError, match="which the chain moves; attach it"):
        solver.solve(target, scene=Scene(boxes=[((1, 1, 1), (5, 5, 5))], frame="link5"))
    other = arm_urdf.read_text().replace("0 0 0.333", "0 0 0.4")
    moved = CollisionModel.from_urdf(
        other.replace("0 0 0.333", "0 0 0.4"), package_dirs=[arm_urdf.parent.parent]
    )
    with pytest.raises(InvalidArgumentError, match="place '.*' differently"):
        IKSolver(arm, collision=moved)


def test_the_widest_clearance_comes_first(arm, solver, problems):
    for scene, _, witness in problems[:6]:
        target = arm.forward(witness)
        found = solver.solve(target, 10, scene=scene, order_by="clearance")
        measure = partial(solver.clearance, scene=scene, exact=True)
        gaps = measure(found.of(0))
        np.testing.assert_allclose(found.scores[0, : len(gaps)], gaps, rtol=1e-6)
        np.testing.assert_array_equal(found.clearance, found.scores)
        assert (np.diff(gaps) <= 1e-9).all()
        # What the score chooses among is searched for, as these are.
        others = solver.searching().solve(target, 10, scene=scene).of(0)
        assert gaps[0] >= measure(others).max() - 1e-9


@pytest.mark.parametrize("order", ["clearance", "limit_margin", "manipulability", "own"])
def test_optimized_solutions_are_free_and_no_worse(arm, solver, problems, order):
    better = 0
    scores = {"limit_margin": limit_margin, "manipulability": manipulability}
    for scene, oracle, witness in problems:
        target = arm.forward(witness)
        score = partial(solver.clearance, scene=scene, exact=True)
        if order != "clearance":
            score = partial(scores.get(order, limit_margin), arm)
        chosen = score if order == "own" else order
        plain = solver.solve(target, 5, scene=scene, order_by=chosen).of(0)
        found = solver.solve(target, 5, scene=scene, order_by=chosen, optimize=True)
        q = found.of(0)
        assert len(q) > 0 and all(oracle.free(one) for one in q)
        assert np.abs(arm.forward(q) - target).max() < 3e-5
        assert ((q >= arm.lower) & (q <= arm.upper)).all()
        assert (np.diff(score(q)) <= 1e-9).all()
        exact = order == "clearance"
        np.testing.assert_allclose(
            found.clearance[0, : len(q)], solver.clearance(q, scene=scene, exact=exact), rtol=1e-6
        )
        better += score(q)[0] >= score(plain)[0] * (1.0 - 1e-3)
    # It begins with what is free, also with what spheres cannot tell of. By clearance, it begins
    # with less than what the plain search finds.
    assert better >= len(problems) - (order == "clearance")


def test_no_targets_have_no_solutions(solver, problems):
    found = solver.solve(np.zeros((0, 4, 4)), 5, scene=problems[0][0])
    assert found.positions.shape == (0, 5, 7) and found.clearance.shape == (0, 5)
    assert found.blocked_by == ()
    assert solver.collides(np.zeros((0, 7))).shape == (0,)


def test_which_configurations_collide(arm, solver, problems, rng):
    scene, oracle, _ = problems[0]
    q = rng.uniform(arm.lower, arm.upper, (200, 7))
    expected = np.array([not oracle.free(one) for one in q])
    assert expected.any() and not expected.all()
    assert (solver.collides(q, scene=scene) == expected).all()
    assert (solver.collides(q.reshape(4, 50, 7), scene=scene).ravel() == expected).all()


@pytest.mark.slow
def test_a_search_ends_where_all_that_spheres_cannot_tell_collides(arm, solver):
    """A drum touches the hand by less than 4 mm, whatever the rest of the arm does."""
    import trimesh

    drum = trimesh.creation.cylinder(0.1, 0.3, sections=24)
    drum.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2.0, [1, 0, 0]))
    rng = np.random.default_rng(0)
    for _ in range(15):
        target = arm.forward(rng.uniform(arm.lower, arm.upper))
        pose = target.copy()
        gap = 0.125 - rng.uniform(0.0, 0.004)
        pose[:3, 3] += gap * target[:3, 0] - 0.08 * target[:3, 2]
        scene = Scene(meshes=[Mesh(drum.vertices, drum.faces, pose=pose)])
        solver.prepare(scene)
        found = in_time(partial(solver.solve, target, 8, scene=scene, timeout=5.0), 2.0)
        assert SolveStatus.TIMED_OUT not in found.status


def test_one_solution_in_many_threads(arm, solver, problems):
    cases = [(arm.forward(witness), scene) for scene, _, witness in problems] * 8

    def solve(case):
        found = solver.solve(case[0], 1, scene=case[1])
        return found.positions, found.clearance

    alone = list(map(solve, cases))
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(solve, cases))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])
