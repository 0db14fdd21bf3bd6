"""Calls on a GPU, whose kernels run on the CPU here, thread by thread."""

import copy
import pickle
import re
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from clock import in_time
from robots import assert_true_solutions

from generative_ik_ros import (
    GenerativeIKError,
    IKSolver,
    KinematicChain,
    KinematicTree,
    SolveStatus,
    TaskSpaceRegion,
    _core,
    load_robot,
)
from generative_ik_ros.device import open as device_open
from generative_ik_ros.device.crossover import MEASURING, Crossover, Line
from generative_ik_ros.device.open import Opened
from generative_ik_ros.errors import GenerativeIKWarning, InvalidArgumentError
from generative_ik_ros.robot.known import robot_urdf_path
from generative_ik_ros.robot.random_poses import random_configurations, random_reachable_poses
from generative_ik_ros.search import device_calls, on_device
from generative_ik_ros.search.plan import DeviceSource, plan_of, source_for_one_pose

RAIL = """
    <robot name="rail">
      <link name="base"/><link name="cart"/><link name="a"/><link name="b"/><link name="tip"/>
      <joint name="slide" type="prismatic"><parent link="base"/><child link="cart"/>
        <axis xyz="1 0 0"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>
      <joint name="turn" type="continuous"><parent link="cart"/><child link="a"/>
        <origin xyz="0 0 0.3"/><axis xyz="0 0 1"/></joint>
      <joint name="lift" type="revolute"><parent link="a"/><child link="b"/>
        <origin xyz="0.1 0 0.2"/><axis xyz="0 1 0"/>
        <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
      <joint name="follow" type="revolute"><parent link="b"/><child link="tip"/>
        <origin xyz="0.4 0 0"/><axis xyz="0 1 0"/><mimic joint="lift" multiplier="0.5"/>
        <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
    </robot>"""


@pytest.fixture
def emulated(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """The device of calls: the CPU in the place of a GPU."""
    monkeypatch.setenv(device_open.VARIABLE, "emulated")
    opened = Opened()
    monkeypatch.setattr(on_device, "OPENED", opened)
    monkeypatch.setattr(device_calls, "OPENED", opened)
    return opened


@pytest.fixture(params=["panda", "iiwa", "ur10", "rail"])
def chain(request: pytest.FixtureRequest) -> KinematicChain:
    """Chains with kernels of their own, and one that the general ones take."""
    if request.param == "rail":
        return KinematicChain.from_urdf(RAIL, "base", "tip")
    return load_robot(request.param)


def test_a_solution_for_each_pose(emulated, chain):
    targets = random_reachable_poses(chain, 60, 3)
    solver = IKSolver(chain, device="cuda")
    found = solver.solve(targets, 1, random_seed=4)
    assert_true_solutions(chain, found, targets)
    assert set(found.status) == {SolveStatus.SOLVED}
    assert found.timings.on_device >= 55
    again = solver.solve(targets, 1, random_seed=4)
    np.testing.assert_array_equal(found.positions, again.positions)


def test_other_random_seeds_give_other_solutions(emulated):
    chain = load_robot("panda")
    targets = random_reachable_poses(chain, 10, 3)
    solver = IKSolver(chain, device="cuda")
    one, other = (solver.solve(targets, 1, random_seed=seed) for seed in (1, 2))
    assert np.abs(one.positions - other.positions).max() > 0.1


@pytest.mark.parametrize("name", ["panda", "iiwa"])
def test_many_solutions_of_poses(emulated, name):
    chain = load_robot(name)
    targets = random_reachable_poses(chain, 4, 3)
    found = IKSolver(chain, device="cuda").solve(targets, 40)
    assert_true_solutions(chain, found, targets)
    assert (found.counts == 40).all()
    assert found.timings.on_device >= 1
    # In the order of diversity: the second is far from the first.
    first, second = found.positions[:, 0], found.positions[:, 1]
    assert (np.abs(first - second).max(axis=1) > 1.0).all()


@pytest.mark.parametrize("half_range", [2.0 * np.pi, 3.1, np.pi])
@pytest.mark.parametrize("name", ["ur10", "compi"])
@pytest.mark.parametrize("wanted", [2, 8, 20])
def test_branches_of_arms_of_six_joints(emulated, name, half_range, wanted):
    limits = dict.fromkeys(load_robot(name).joint_names, (-half_range, half_range))
    chain = KinematicChain.from_urdf(robot_urdf_path(name), joint_limits=limits)
    targets = random_reachable_poses(chain, 30, 3)
    targets[4, :3, 3] += 5.0
    gpu, cpu = (IKSolver(chain, device=device) for device in ("cuda", "cpu"))
    found, expected = gpu.solve(targets, wanted), cpu.solve(targets, wanted)
    np.testing.assert_array_equal(found.counts, expected.counts)
    assert list(found.status) == list(expected.status)
    # That there are no others is the CPU's to say.
    assert not (found.complete & ~expected.complete).any()
    np.testing.assert_allclose(found.positions, expected.positions, atol=1e-6)
    on_device = found.timings.on_device
    assert on_device == 0 if wanted == 20 else on_device >= (25 if wanted == 2 else 1)


def test_single_poses(emulated):
    chain = load_robot("panda")
    target = random_reachable_poses(chain, 1, 5)
    solver = IKSolver(chain, device="cuda")
    for one in (target, target[0]):
        found = solver.solve(one, 1)
        assert_true_solutions(chain, found, target)
        assert found.timings.on_device == 1


def test_what_a_device_leaves_goes_to_the_cpu(emulated):
    chain = load_robot("ur10")
    targets = random_reachable_poses(chain, 20, 3)
    targets[4, :3, 3] += 5.0
    found = IKSolver(chain, device="cuda").solve(targets, 1)
    assert_true_solutions(chain, found, targets)
    assert found.counts.sum() == 19 and found.counts[4] == 0
    assert found.status[4] == SolveStatus.NO_SOLUTION
    assert 0 < found.timings.on_device < 20
    assert np.isfinite(found.best_effort).all()


SEED = np.array([0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0])
CALLS = {
    "a seed state": {"seed_state": SEED},
    "seed states": {"seed_state": np.stack([SEED] * 3)},
    "consistency": {"seed_state": SEED, "consistency_limits": np.full(7, 3.0)},
    "a score": {"order_by": "manipulability"},
    "tips": {"order_by": "diverse_tip", "region": TaskSpaceRegion.free_axis()},
    "optimized": {"optimize": True, "order_by": "limit_margin"},
    "a goal set": {"goal_set": True},
    "a region": {"region": TaskSpaceRegion.free_axis()},
}


@pytest.mark.parametrize("call", CALLS)
def test_what_a_device_does_not_serve_is_the_same_on_the_cpu(emulated, call):
    chain = load_robot("panda")
    targets = random_reachable_poses(chain, 3, 3)
    cuda, cpu = (IKSolver(chain, device=device) for device in ("cuda", "cpu"))
    found, expected = (solver.solve(targets, 3, **CALLS[call]) for solver in (cuda, cpu))
    np.testing.assert_array_equal(found.positions, expected.positions)
    assert found.timings.on_device == expected.timings.on_device == 0


def test_trees_are_for_the_cpu(emulated):
    robot = load_robot("panda").description
    tree = KinematicTree.from_urdf(robot, "panda_link0", ("panda_hand_tcp", "panda_link5"))
    found = IKSolver(tree, device="cuda").solve(tree.forward(SEED), 1)
    assert found.counts[0] == 1 and found.timings.on_device == 0


def test_long_chains_are_for_the_cpu(emulated):
    links = "".join(f'<link name="l{i}"/>' for i in range(18))
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/>'
        f'<origin xyz="0.1 0 0"/><axis xyz="{i % 2} 0 {(i + 1) % 2}"/>'
        '<limit lower="-2" upper="2" effort="1" velocity="1"/></joint>'
        for i in range(17)
    )
    chain = KinematicChain.from_urdf(f'<robot name="snake">{links}{joints}</robot>', "l0", "l17")
    targets = random_reachable_poses(chain, 3, 1)
    found = IKSolver(chain, device="cuda").solve(targets, 1)
    assert (found.counts == 1).all() and found.timings.on_device == 0


def test_with_something_preferred(emulated):
    chain = load_robot("panda")
    targets = random_reachable_poses(chain, 4, 3)
    targets[1, :3, 3] += 0.9
    found = IKSolver(chain, device="cuda", prefer="orientation").solve(targets, 1)
    assert found.timings.on_device == 3
    assert [status.name for status in found.status].count("SOLVED") == 3
    assert found.status[1] == SolveStatus.APPROXIMATE


def test_a_deadline(emulated):
    chain = load_robot("panda")
    targets = random_reachable_poses(chain, 2000, 3)
    solver = IKSolver(chain, device="cuda")
    found = in_time(lambda: solver.solve(targets, 1, timeout=1e-6), 2.0)
    assert set(found.status) <= {SolveStatus.TIMED_OUT, SolveStatus.SOLVED}
    assert SolveStatus.TIMED_OUT in found.status


def test_copies_and_pickles(emulated):
    chain = load_robot("panda")
    targets = random_reachable_poses(chain, 5, 3)
    solver = IKSolver(chain, device="cuda")
    expected = solver.solve(targets, 1)
    for other in (copy.deepcopy(solver), pickle.loads(pickle.dumps(solver)), solver.exactly()):
        found = other.solve(targets, 1)
        assert found.timings.on_device == expected.timings.on_device
        np.testing.assert_array_equal(found.positions, expected.positions)


def test_too_little_memory_is_left_to_the_cpu(emulated):
    emulated.get()
    emulated.device = _core.Device.emulated(100)
    chain = load_robot("panda")
    targets = random_reachable_poses(chain, 5, 3)
    found = IKSolver(chain, device="cuda").solve(targets, 1)
    assert (found.counts == 1).all() and found.timings.on_device == 0


class Lost:
    """A device that fails whatever it is asked."""

    def solve(self, *_: object) -> None:
        """Fail as the driver does."""
        raise RuntimeError("cuLaunchKernel failed on Lost: unspecified launch failure")


def test_a_device_that_fails_is_given_up(emulated):
    chain = load_robot("panda")
    solver = IKSolver(chain, device="cuda")
    targets = random_reachable_poses(chain, 5, 3)
    emulated.device = Lost()
    with pytest.warns(GenerativeIKWarning, match="go to the CPU: cuLaunchKernel failed on Lost"):
        found = solver.solve(targets, 1)
    assert (found.counts == 1).all() and found.timings.on_device == 0
    assert (solver.solve(targets, 1).counts == 1).all()  # and nothing more is said
    with pytest.raises(InvalidArgumentError, match="it has failed: cuLaunchKernel"):
        IKSolver(chain, device="cuda")


def test_no_device(monkeypatch):
    monkeypatch.setenv(device_open.VARIABLE, "off")
    monkeypatch.setattr(on_device, "OPENED", Opened())
    chain = load_robot("panda")
    with pytest.raises(InvalidArgumentError, match="asked for, but GENERATIVE_IK_GPU=off is set"):
        IKSolver(chain, device="cuda")
    targets = random_reachable_poses(chain, MEASURING.least + 1, 3)
    found = IKSolver(chain).solve(targets, 1)
    assert found.timings.on_device == 0
    np.testing.assert_array_equal(
        found.positions, IKSolver(chain, device="cpu").solve(targets, 1).positions
    )


def test_why_there_is_no_device(monkeypatch, tmp_path):
    monkeypatch.delenv(device_open.VARIABLE, raising=False)
    monkeypatch.setattr(device_open, "KERNELS", tmp_path / "kernels.fatbin")
    opened = Opened()
    assert opened.get() is None
    assert "has no kernels for it" in opened.why and "-DGENERATIVE_IK_CUDA=ON" in opened.why
    (tmp_path / "kernels.fatbin").write_bytes(b"no kernels")
    opened = Opened()
    assert opened.get() is None
    assert "CUDA" in opened.why or "no kernels for" in opened.why
    monkeypatch.setenv(device_open.VARIABLE, "fast")
    with pytest.raises(InvalidArgumentError, match="must be emulated or off, or not be set"):
        Opened().get()


def test_a_driver_that_is_none():
    with pytest.raises(OSError, match=re.escape("no CUDA driver: libno_such_driver.so")):
        _core.Device.cuda(b"kernels", 0, "libno_such_driver.so")
    with pytest.raises(OSError, match="has no function cuInit"):
        _core.Device.cuda(b"kernels", 0, "libm.so.6")


def test_forward_kinematics():
    chain = load_robot("panda")
    q = random_configurations(chain, 500, 3)
    poses = np.empty((500, 4, 4))
    _core.Device.emulated().place(chain.core, q, poses)
    np.testing.assert_allclose(poses, chain.forward(q), atol=1e-12)


class OnDevice:
    """An array with the protocol of those on a GPU, in the memory of the emulated one."""

    def __init__(self, array: np.ndarray, **changed: object):
        """Say where it is."""
        data = array.__array_interface__["data"]
        self.array = array
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": data, "version": 3, **changed
        }  # fmt: skip


def test_arrays_on_the_device_stay_there(emulated):
    chain = load_robot("panda")
    targets = random_reachable_poses(chain, 30, 3)
    targets[7, :3, 3] += 5.0
    solver = IKSolver(chain)
    positions, counts = np.full((30, 2, 7), np.nan), np.full(30, -1, np.int32)
    solver.solve_into(OnDevice(targets), OnDevice(positions), OnDevice(counts), random_seed=4)
    assert counts[7] == 0 and (counts >= 0).all() and (counts == 2).sum() >= 28
    for t in np.flatnonzero(counts):
        q = positions[t, : counts[t]]
        np.testing.assert_allclose(chain.forward(q), np.stack([targets[t]] * len(q)), atol=2e-5)
        assert ((q >= chain.lower) & (q <= chain.upper)).all()
    again = np.empty((30, 2, 7)), np.empty(30, np.int32)
    solver.solve_into(targets, *again, random_seed=4)  # numpy's, as the device is emulated
    np.testing.assert_array_equal(again[1], counts)
    solver.solve_into(targets, *again, timeout=1e-9)
    assert not again[1].any()


@pytest.mark.parametrize("name", ["ur10", "panda"])
def test_what_is_no_pose_has_no_solution_on_the_device(emulated, name):
    """A closed form had answered poses with a position of NaN."""
    chain = load_robot(name)
    targets = np.tile(random_reachable_poses(chain, 1, 3), (28, 1, 1))
    for k in range(12):
        targets[k].flat[k], targets[12 + k].flat[k] = np.nan, 1e300
    targets[24, :3, :3] *= 1.5
    targets[25, :3, :3] = 0.0
    targets[26, :3, 0] *= -1.0
    positions, counts = np.empty((28, 1, chain.num_joints)), np.empty(28, np.int32)
    IKSolver(chain).solve_into(targets, positions, counts)
    assert counts.tolist() == [0] * 27 + [1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"targets": np.zeros((3, 4))}, "targets: expected an array on the device, (any, 4, 4)"),
        ({"targets": [1.0]}, "targets: expected an array on the device"),
        ({"positions": np.zeros((3, 1, 6))}, "expected an array on the device, (3, any, 7)"),
        ({"positions": np.zeros((3, 1, 7), np.float32)}, "positions: expected"),
        ({"positions": np.zeros((3, 0, 7))}, "positions: expected room for solutions"),
        ({"counts": np.zeros(3, np.int64)}, "counts: expected an array on the device, (3)"),
        ({"counts": np.zeros(2, np.int32)}, "counts: expected"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("wrap", [OnDevice, lambda array: array])
def test_wrong_arrays_are_named(emulated, wrong, message, wrap):
    right = {"targets": np.tile(np.eye(4), (3, 1, 1)), "positions": np.zeros((3, 1, 7))}
    given = right | {"counts": np.zeros(3, np.int32)} | wrong
    solver = IKSolver(load_robot("panda"))
    arrays = [a if isinstance(a, list) else wrap(a) for a in given.values()]
    with pytest.raises(InvalidArgumentError, match=re.escape(message)):
        solver.solve_into(*arrays)


@pytest.mark.parametrize(
    "changed",
    [{"strides": (256, 64, 8)}, {"data": (0, True)}, {"data": "x"}, {"typestr": 3}, {"shape": 3}],
)
def test_what_has_no_such_interface_is_refused(emulated, changed):
    solver, counts = IKSolver(load_robot("panda")), np.zeros(3, np.int32)
    positions = OnDevice(np.zeros((3, 1, 7)), **changed)
    with pytest.raises(InvalidArgumentError, match="positions: expected"):
        solver.solve_into(np.tile(np.eye(4), (3, 1, 1)), positions, counts)


def test_what_solve_into_is_not_for(emulated, monkeypatch):
    robot = load_robot("panda").description
    tree = KinematicTree.from_urdf(robot, "panda_link0", ("panda_hand_tcp", "panda_link5"))
    with pytest.raises(GenerativeIKError, match="with one tip"):
        IKSolver(tree).solve_into(None, None, None)
    monkeypatch.setenv(device_open.VARIABLE, "off")
    monkeypatch.setattr(device_calls, "OPENED", Opened())
    with pytest.raises(InvalidArgumentError, match="needs a GPU, but GENERATIVE_IK_GPU=off"):
        IKSolver(load_robot("panda")).solve_into(None, None, None)


def test_auto_asks_the_device_for_large_calls_only(emulated):
    chain = load_robot("panda")
    stages = IKSolver(chain)._stages
    assert not isinstance(source_for_one_pose(stages, 1, 0), DeviceSource)
    found = IKSolver(chain).solve(random_reachable_poses(chain, 10, 3), 1)
    assert found.timings.on_device == 0


@pytest.mark.parametrize("sooner", [True, False])
def test_auto_takes_what_is_sooner(emulated, monkeypatch, sooner):
    chain = load_robot("panda")
    solver, targets = IKSolver(chain), random_reachable_poses(chain, MEASURING.least, 3)
    asked = []

    def pays(self: Crossover, count: int, wanted: int, *_: object) -> bool:
        asked.append((count, wanted))
        return sooner

    monkeypatch.setattr(Crossover, "pays", pays)
    found = solver.solve(targets, 1)
    assert asked == [(MEASURING.least, 1)]
    assert (found.timings.on_device > 0) == sooner
    assert_true_solutions(chain, found, targets)


def test_a_deadline_leaves_no_time_to_measure(emulated, monkeypatch):
    monkeypatch.setattr(Opened, "get", lambda self: pytest.fail("a device was opened"))
    chain = load_robot("panda")
    targets = random_reachable_poses(chain, MEASURING.least, 3)
    found = IKSolver(chain).solve(targets, 1, timeout=20.0)
    assert (found.counts == 1).all() and found.timings.on_device == 0


def test_auto_measures_both(emulated):
    """Whichever is sooner here, all targets are solved, and what was measured is kept."""
    chain = load_robot("ur10")
    solver, targets = IKSolver(chain), random_reachable_poses(chain, MEASURING.least, 3)
    found = solver.solve(targets, 1)
    assert (found.counts == 1).all()
    use = solver._stages.device
    assert use is not None and list(use.crossover._lines) == [1]
    assert isinstance(next(iter(plan_of(solver._stages, _request(solver, targets)))), DeviceSource)


def _request(solver: IKSolver, targets: np.ndarray):
    from generative_ik_ros.request import check_request

    return check_request(
        solver.chain, solver._whole, solver.distinct_distance, targets, 1, None, None, None, None
    )


@pytest.mark.slow
def test_where_a_device_pays():
    """By the times of calls: a device begins late, and is done with each pose sooner."""

    def device(poses: np.ndarray) -> None:
        time.sleep(0.02)

    def cpu(poses: np.ndarray) -> None:
        time.sleep(1e-4 * len(poses))

    crossover = Crossover()

    def pays(count: int, wanted: int = 1) -> bool:
        return crossover.pays(count, wanted, lambda n: np.empty((n, 4, 4)), device, cpu)

    assert not pays(MEASURING.least - 1) and not crossover._lines
    assert pays(100_000)
    assert not Crossover().pays(600, 1, lambda n: np.empty((n, 4, 4)), cpu, lambda poses: None)
    assert pickle.loads(pickle.dumps(crossover))._lines == {}


def test_lines():
    line = Line(0.5, 0.25)
    assert line.at(4) == 1.5


def test_a_forked_process_opens_its_own():
    script = """
        import os
        os.environ["GENERATIVE_IK_GPU"] = "emulated"
        from generative_ik_ros import IKSolver, load_robot
        chain = load_robot("panda")
        solver = IKSolver(chain, device="cuda")
        target = chain.forward([0.1, 0.3, 0.0, -1.8, 0.2, 2.1, 0.8])
        assert solver.solve(target, 1).timings.on_device == 1
        child = os.fork()
        if child == 0:
            from generative_ik_ros.device.open import OPENED
            fresh = OPENED.device is None
            found = solver.solve(target, 1)
            os._exit(0 if fresh and found.timings.on_device == 1 else 1)
        assert os.waitpid(child, 0)[1] == 0
        print("done")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "done\n", done.stderr
