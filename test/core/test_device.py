"""Calls on a device: which they are, and what becomes of them there; here it is the CPU.

What all calls promise is tested in test_solver.py, with a device as well.
"""

import copy
import json
import math
import os
import pickle
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from robots import NONE, Z, assert_true_solutions, random_chain, random_positions, urdf

from generative_ik_ros import GenerativeIKWarning, IKSolver, KinematicChain, SolveStatus, pipeline
from generative_ik_ros.collision import cache_files
from generative_ik_ros.refine.registry import refiner_class
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.samplers.uniform import Uniform
from generative_ik_ros.search.device import calls
from generative_ik_ros.search.device.engine import REFINER, Device

torch = pytest.importorskip("torch", reason="PyTorch not installed")
pytestmark = pytest.mark.usefixtures("one_torch_thread")
needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")


@pytest.fixture
def used(monkeypatch):
    """The sizes of the batches that a device refines, (targets, seeds of each)."""
    sizes, refined = [], Device.refined

    def counted(device, poses, seeds, *words):
        sizes.append((len(poses), seeds.shape[1]))
        return refined(device, poses, seeds, *words)

    monkeypatch.setattr(Device, "refined", counted)
    return sizes


@pytest.fixture
def as_if_cuda(monkeypatch, tmp_path):
    """The CPU stands for the CUDA device that `device="auto"` finds; nothing is stored yet."""
    monkeypatch.setattr(calls, "cuda_library", lambda: True)
    monkeypatch.setattr(pipeline, "check_device", lambda device: device)
    monkeypatch.setattr(calls, "_WHERE", "cpu")
    monkeypatch.setattr(calls, "_SIZES", (4, 6))
    monkeypatch.setattr(calls, "_TURNS", 1)
    monkeypatch.setattr(cache_files, "folders", lambda: [tmp_path])


def on_the_cpu(chain, **words):
    return IKSolver(chain, device="cpu", refiner=REFINER, **words)


def sliding_chain():
    """Six joints with a prismatic and a continuous one, and full turns to spare in another."""
    joints = [
        ("continuous", NONE, NONE, Z, None, ""),
        ("revolute", (0.1, 0, 0.3), NONE, (0, 1, 0), (-2.0, 2.0), ""),
        ("prismatic", (0.2, 0, 0.1), NONE, (0.6, 0.0, 0.8), (0.0, 0.3), ""),
        ("revolute", (0.3, 0, 0), NONE, (1, 0, 0), (-6.0, 6.0), ""),
        ("revolute", (0.1, 0.02, 0), NONE, (0, 1, 0), (-2.5, 2.5), ""),
        ("revolute", (0.1, 0, 0), NONE, (1, 0, 0), (-2.5, 2.5), ""),
    ]
    return KinematicChain.from_urdf(urdf(joints))


@pytest.mark.parametrize("chain", [sliding_chain(), load_robot("ur10")], ids=["sliding", "ur10"])
def test_all_that_a_search_finds_is_found(chain, rng):
    """As many branches and full turns of them."""
    targets = chain.forward(random_positions(chain, rng, 5))
    ours = on_the_cpu(chain).solve(targets, 300)
    search = IKSolver(chain, "quasi_random", "cpu").solve(targets, 300)
    np.testing.assert_array_equal(ours.counts, search.counts)
    assert_true_solutions(chain, ours, targets)


@pytest.mark.parametrize("joints", [2, 5, 9])
def test_odd_chains(joints, rng):
    _, chain = random_chain(np.random.default_rng(joints), joints)
    targets = chain.forward(random_positions(chain, rng, 6))
    found = on_the_cpu(chain).solve(targets, 3)
    assert (found.counts >= 1).all()
    assert_true_solutions(chain, found, targets)


def test_seeds_of_any_sampler(panda, rng, used):
    targets = panda.forward(random_positions(panda, rng, 3))
    found = on_the_cpu(panda, sampler=Uniform(panda)).solve(targets, 10)
    assert found.sampler == "uniform" and found.timings.rounds >= 1 and used
    assert_true_solutions(panda, found, targets)


def test_as_on_a_device_that_is_slow_in_double_precision(panda, rng):
    solver, targets = on_the_cpu(panda), panda.forward(random_positions(panda, rng, 20))
    solver._stages.device._engine = refiner_class(REFINER)(
        panda, 1e-5, 1e-5, device="cpu", precision="mixed"
    )
    for wanted in (1, 20):
        found = solver.solve(targets, wanted)
        assert found.counts.all() and found.counts.sum() > 0.95 * 20 * wanted
        assert_true_solutions(panda, found, targets)
        # Hardly a null-space step is left to do.
        assert found.timings.null_space_steps < 0.2 * found.timings.seeds


def test_free_orientation(panda, rng, used):
    target = panda.forward(random_positions(panda, rng))
    found = on_the_cpu(panda, orientation_tolerance=math.inf).solve(target, 20)
    assert found.counts[0] == 20 and used
    assert np.nanmax(found.position_error) <= 1e-5 and np.nanmax(found.orientation_error) > 0.5


def test_what_no_device_does_is_searched_for(panda, rng, used):
    """Goal sets and regions, by a solver that uses it for all else; paths ask for solutions."""
    solver, q = on_the_cpu(panda), random_positions(panda, rng, 9)
    targets = panda.forward(q)
    found = solver.solve(targets, 20, goal_set=True)
    assert found.counts[0] == 20 and set(found.target_of[0].tolist()) <= set(range(9))
    assert solver.solve(targets, 2, region=TaskSpaceRegion.free_axis()).counts.all()
    assert not used
    near = q[0] + 0.01 * np.arange(5)[:, None] * (q[1] - q[0])
    assert solver.solve_path(panda.forward(near), seed_state=q[0]).complete


@pytest.mark.parametrize(
    ("poses", "wanted"), [pytest.param(3000, 1, marks=pytest.mark.slow), (1, 20_000)]
)
def test_the_deadline_is_looked_at_between_blocks(panda, rng, poses, wanted):
    """Blocks take tens of milliseconds on the CPU."""
    solver, targets = on_the_cpu(panda), panda.forward(random_positions(panda, rng, poses))
    solver.solve(targets[:2], 1)
    late = []
    for _ in range(5):
        start = time.perf_counter()
        found = solver.solve(targets, wanted, timeout=0.05)
        late.append(time.perf_counter() - start - 0.05)
    assert min(late) < 0.1
    assert set(found.status) <= set(SolveStatus) - {SolveStatus.NO_SOLUTION}


def test_seeds_that_time_leaves_out_prove_nothing(panda, rng, monkeypatch):
    """None is tried, as by a device that is late, and then the search has all of its time."""
    restarts, late = type(on_the_cpu(panda)._stages.device.engine).restarts, []

    def too_late(refiner, targets, seeds, bounds, enough, deadline):
        late.append(len(targets))
        return restarts(refiner, targets, seeds, bounds, enough, 0.0)

    solver = on_the_cpu(panda)
    monkeypatch.setattr(type(solver._stages.device.engine), "restarts", too_late)
    found = solver.solve(panda.forward(random_positions(panda, rng, 30)), 2)
    assert late and (found.counts == 2).all()


class TestMemory:
    @pytest.fixture
    def full(self, panda, monkeypatch):
        """A solver on a device whose memory holds so many seeds; what it was asked to hold."""
        solver, asked = on_the_cpu(panda), []
        refiner = solver._stages.device.engine
        restarts, room = refiner.restarts, {"seeds": 10**9}

        def limited(targets, seeds, *words):
            asked.append(len(targets) * seeds.shape[1])
            if asked[-1] > room["seeds"]:
                raise torch.cuda.OutOfMemoryError("full")
            return restarts(targets, seeds, *words)

        monkeypatch.setattr(refiner, "restarts", limited)
        return solver, room, asked

    def test_fewer_seeds_at_a_time_give_the_same(self, panda, rng, full):
        solver, room, asked = full
        targets = panda.forward(random_positions(panda, rng, 40))
        whole, room["seeds"] = solver.solve(targets, 5), 600
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            parts = solver.solve(targets, 5)
        assert len([one for one in asked[1:] if one <= 600]) >= 3
        np.testing.assert_array_equal(parts.counts, whole.counts)
        np.testing.assert_allclose(parts.positions, whole.positions, atol=1e-6)

    def test_too_little_is_said_once_and_searched_without(self, panda, rng, full):
        solver, room, asked = full
        targets, room["seeds"] = panda.forward(random_positions(panda, rng, 40)), 0
        with pytest.warns(GenerativeIKWarning, match="memory does not suffice") as warned:
            found = [solver.solve(targets, 5) for _ in range(2)]
        assert len(warned) == 1 and len(asked) < 8
        search = IKSolver(panda, device="cpu").searching().solve(targets, 5)
        for one in found:
            np.testing.assert_array_equal(one.positions, search.positions)


@pytest.mark.usefixtures("as_if_cuda")
class TestWhichCalls:
    @pytest.fixture
    def solver(self, panda):
        solver = IKSolver(panda, device="cuda")
        solver.device_calls.least = {"one": 6.0, "many": 8.0, "near": math.inf}
        return solver

    def test_is_measured_once_and_stored(self, panda, used, tmp_path):
        first = IKSolver(panda)
        first.warm_up()
        assert not used and first.warm_up(device=True) > 0.0 and used
        assert set(first.device_calls.least) == {"one", "many", "near"}
        assert all(least in (4, 6, math.inf) for least in first.device_calls.least.values())
        (file,) = tmp_path.rglob("device-*.json")
        assert json.loads(file.read_text())["joints"] == 7
        used.clear()
        stored = {"one": 2.0, "many": math.inf, "near": 6.0}
        file.write_text(json.dumps(stored))
        assert IKSolver(panda).device_calls.least == stored and not used
        file.write_text("{")
        assert set(IKSolver(panda).device_calls.least) == set(stored) and used

    def test_are_large_enough(self, panda, solver, rng, used):
        q = random_positions(panda, rng, 9)
        targets, solver = panda.forward(q), solver.searching()
        solver.solve(targets, 1, timeout=10.0)
        assert not used  # It would have to be prepared first.
        for poses, wanted, words in ((5, 1, {}), (1, 7, {}), (9, 1, {"seed_state": q[0]})):
            solver.solve(targets[:poses], wanted, **words)
        solver.solve(targets, 1, timeout=0.02)
        assert not used
        search = IKSolver(panda, device="cpu").searching()
        for poses, wanted in ((6, 1), (1, 8), (2, 4)):
            found = solver.solve(targets[:poses], wanted, timeout=10.0)
            assert used.pop()[0] == poses and not used
            assert (found.counts == search.solve(targets[:poses], wanted).counts).all()

    def test_of_auto_wait_until_it_is_prepared(self, panda, rng, used):
        targets, solver = panda.forward(random_positions(panda, rng, 9)), IKSolver(panda)
        solver.device_calls.least = dict.fromkeys(("one", "many", "near"), 1.0)
        for times in (0, 1):
            solver.solve(targets, 1)
            assert len(used) == times
            solver.warm_up(device=True)

    def test_are_for_poses_that_no_closed_form_answers(self, panda, solver, rng, used):
        targets = panda.forward(random_positions(panda, rng, 9))
        assert solver.solve(targets, 2, region=TaskSpaceRegion.free_axis()).counts.all()
        assert solver.solve(targets, 20, goal_set=True).counts.all()
        ur10 = load_robot("ur10")
        closed = IKSolver(ur10, device="cuda")
        closed.device_calls.least = solver.device_calls.least
        assert closed.solve(ur10.forward(random_positions(ur10, rng, 9)), 999).complete.any()
        assert not used
        for words in ({"refiner": "slsqp"}, {"device": "cpu"}):
            assert IKSolver(panda, **words).device_calls is None

    def test_are_those_of_copies(self, panda, solver, rng, used):
        targets = panda.forward(random_positions(panda, rng, 8))
        for one in (copy.copy(solver), solver.searching()):
            one.solve(targets, 1)
        assert len(used) == 2
        for one in (copy.deepcopy(solver), pickle.loads(pickle.dumps(on_the_cpu(panda)))):
            np.testing.assert_allclose(one.solve(targets, 1).position_error, 0.0, atol=1e-5)


@pytest.mark.slow
def test_without_cuda_nothing_is_loaded():
    script = (
        "import sys; from generative_ik_ros import IKSolver, load_robot\n"
        "panda = load_robot('panda'); pose = panda.forward(panda.lower)\n"
        "solver = IKSolver(panda); solver.solve(pose[None].repeat(300, 0), 1)\n"
        "assert solver.device_calls is None; sys.exit('torch' in sys.modules)"
    )
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, timeout=240)


@needs_cuda
def test_cuda_takes_over_large_calls(panda, rng, used):
    targets = panda.forward(random_positions(panda, rng, 4096))
    solver = IKSolver(panda, device="cuda")
    solver.warm_up(device=True)
    solver.device_calls.least = dict.fromkeys(solver.device_calls.least, 4096.0)
    for words in ({}, {"seed_state": (panda.lower + panda.upper) / 2.0}, {"timeout": 5.0}):
        used.clear()
        found = solver.solve(targets, 1, **words)
        assert used and found.counts.all()
        assert_true_solutions(panda, found, targets)
