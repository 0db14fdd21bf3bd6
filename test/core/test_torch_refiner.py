"""The local solver for GPUs, on the CPU: what the compiled kernel does, tensor by tensor."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from robots import NONE, Z, pose_gap, random_chain, random_positions, urdf
from scipy.spatial.transform import Rotation

from generative_ik_ros import KinematicChain
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.refine.base import RefineTask
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt

torch = pytest.importorskip("torch", reason="PyTorch not installed")

from generative_ik_ros.learned.torch_kinematics import jacobian
from generative_ik_ros.refine import torch_levenberg_marquardt as torch_lm
from generative_ik_ros.refine import torch_run
from generative_ik_ros.refine.torch_blocks import (
    GraphedBlock,
    SeedBatch,
    eager_block,
    iterate,
    padded,
)
from generative_ik_ros.refine.torch_levenberg_marquardt import (
    TorchLevenbergMarquardt,
    target_columns,
)
from generative_ik_ros.refine.torch_solve import solve_by_entries, solve_by_rows
from generative_ik_ros.refine.torch_step import TorchStep

pytestmark = pytest.mark.usefixtures("one_torch_thread")
needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
CPU = torch.device("cpu")


def task_for(chain, targets, seeds, **options):
    """Seeds (T * K, n), K for each target in a row."""
    count = len(seeds) // len(targets)
    wanted = options.pop("wanted", np.full(len(targets), 10**9))
    return RefineTask(
        targets, seeds, np.repeat(np.arange(len(targets)), count), chain.lower, chain.upper,
        wanted, **options,
    )  # fmt: skip


def coupled_chain():
    """A mimic joint with offset, a prismatic and a continuous joint."""
    mimic = "<mimic joint='j0' multiplier='-0.5' offset='0.2'/>"
    joints = [
        ("revolute", NONE, NONE, Z, (-2.0, 2.0), ""),
        ("revolute", (0.3, 0, 0), NONE, (0, 1, 0), (-9.0, 9.0), mimic),
        ("prismatic", (0.2, 0, 0.1), NONE, (0.6, 0.0, 0.8), (0.0, 0.3), ""),
        ("continuous", (0.2, 0, 0), NONE, (1, 0, 0), None, ""),
    ]
    return KinematicChain.from_urdf(urdf(joints))


@pytest.fixture(params=["panda", "coupled", 1, 2, 4, 6, 9, 15], ids=str)
def chain(request, panda):
    if request.param == "panda":
        return panda
    if request.param == "coupled":
        return coupled_chain()
    return random_chain(np.random.default_rng(request.param), request.param)[1]


def step_of(chain, *, compiled=False):
    options = LevenbergMarquardt(chain, 1e-6, 1e-6).options
    return TorchStep(chain, options, CPU, torch.float64, compiled=compiled)


def test_tip_and_jacobian_are_those_of_the_chain(chain, rng):
    q = random_positions(chain, rng, 7)
    step, columns = step_of(chain), torch.tensor(q.T.copy())
    place = step.chain.place(columns)
    tip = chain.forward(q)
    np.testing.assert_allclose(place.position.T, tip[:, :3, 3], atol=1e-12)
    np.testing.assert_allclose(place.columns.permute(2, 1, 0), tip[:, :3, :3], atol=1e-12)
    multiplier = torch.tensor(chain.joint_multiplier)[:, None, None].expand(-1, 6, -1)
    found = step.chain.jacobian(place, multiplier).permute(2, 1, 0)
    np.testing.assert_allclose(found, jacobian(chain, torch.tensor(q)), atol=1e-12)


def test_errors_are_distance_and_chord(panda, rng):
    here, there = panda.forward(random_positions(panda, rng, 40)), None
    q = random_positions(panda, rng, 40)
    there = panda.forward(q)
    errors = step_of(panda).errors(torch.tensor(q.T.copy()), target_columns(torch.tensor(here)))
    distance, angle = pose_gap(there, here)
    np.testing.assert_allclose(errors.position, distance, atol=1e-12)
    np.testing.assert_allclose(errors.orientation, 2.0 * np.sin(angle / 2.0), atol=1e-9)


@pytest.mark.parametrize("solve", [solve_by_rows, solve_by_entries])
def test_damped_systems_are_solved(solve, rng):
    columns, damp = rng.normal(size=(7, 6, 30)), rng.uniform(1e-6, 1.0, 30)
    right = rng.normal(size=(6, 30))
    matrices = np.einsum("vis,vjs->sij", columns, columns) + damp[:, None, None] * np.eye(6)
    expected = np.linalg.solve(matrices, right.T[..., None])[..., 0]
    solved = solve(torch.tensor(columns), torch.tensor(damp), torch.tensor(right))
    np.testing.assert_allclose(solved.T, expected, rtol=1e-9)


@pytest.mark.parametrize("precision", ["double", "mixed"])
def test_it_does_what_the_compiled_kernel_does(chain, precision, rng):
    targets = chain.forward(random_positions(chain, rng, 10))
    task = task_for(chain, targets, random_positions(chain, rng, 320))
    kernel = LevenbergMarquardt(chain, 1e-5, 1e-5).refine(task)
    refiner = TorchLevenbergMarquardt(chain, 1e-5, 1e-5, device="cpu", precision=precision)
    ours = refiner.refine(task)
    # A seed that comes near in single precision has another chance in double.
    differ = 0.01 if precision == "double" else 0.06
    assert abs(ours.converged.mean() - kernel.converged.mean()) < 0.03
    assert (ours.converged != kernel.converged).mean() < differ
    position, angle = pose_gap(chain.forward(ours.positions), targets[task.target_of_seed])
    assert (position[ours.converged] <= 1e-5).all() and (angle[ours.converged] <= 1e-5).all()
    np.testing.assert_allclose(ours.position_error, position, atol=1e-9)
    assert (ours.positions >= chain.lower).all() and (ours.positions <= chain.upper).all()
    if precision == "double":
        both = ours.converged & kernel.converged
        apart = np.abs(ours.positions - kernel.positions)[both].max(axis=1)
        assert (apart < 1e-3).mean() > 0.97
        assert abs(ours.iterations.mean() - kernel.iterations.mean()) < 0.1


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.0, 0.8)])
def test_half_a_turn_away(axis):
    joints = [("continuous", NONE, NONE, a, None, "") for a in (Z, (0, 1, 0), Z)]
    wrist = KinematicChain.from_urdf(urdf(joints))
    starts = random_positions(wrist, np.random.default_rng(0), 64)
    targets = wrist.forward(starts)
    turn = Rotation.from_rotvec(np.pi * np.array(axis)).as_matrix()
    targets[:, :3, :3] = turn @ targets[:, :3, :3]
    result = TorchLevenbergMarquardt(wrist, 1e-8, 1e-8, device="cpu").refine(
        task_for(wrist, targets, starts)
    )
    assert result.converged.mean() > 0.9
    assert pose_gap(wrist.forward(result.positions), targets)[1][result.converged].max() < 1e-6


def test_tolerance_down_to_a_billionth(panda, rng):
    targets = panda.forward(random_positions(panda, rng, 8))
    for precision in ("double", "mixed"):
        refiner = TorchLevenbergMarquardt(panda, 1e-9, 1e-9, device="cpu", precision=precision)
        result = refiner.refine(task_for(panda, targets, random_positions(panda, rng, 8 * 32)))
        assert result.converged.reshape(8, 32).any(axis=1).all()
        gap = pose_gap(panda.forward(result.positions), np.repeat(targets, 32, axis=0))
        assert gap[0][result.converged].max() < 1e-9


def test_thorough_seeds_end_where_the_compiled_kernel_has_them(panda):
    target = np.eye(4)[None]
    target[0, :3, 3] = 2.0, 0.0, 0.333
    seeds = np.random.default_rng(0).uniform(panda.lower, panda.upper, (24, 7))
    task = task_for(panda, target, seeds, thorough=True)
    ours = TorchLevenbergMarquardt(panda, 1e-5, np.inf, device="cpu").refine(task)
    kernel = LevenbergMarquardt(panda, 1e-5, np.inf).refine(task)
    assert not ours.converged.any() and (ours.iterations > 0).all()
    assert ours.position_error.min() == pytest.approx(kernel.position_error.min(), abs=1e-6)
    # Most end in the same minimum; flat ones end a little apart.
    assert np.isclose(ours.position_error, kernel.position_error, atol=1e-3).mean() > 0.7


def test_thorough_seeds_that_can_converge_do(panda, rng):
    targets = panda.forward(random_positions(panda, rng, 3))
    task = task_for(panda, targets, random_positions(panda, rng, 48), thorough=True)
    ours = TorchLevenbergMarquardt(panda, 1e-6, 1e-6, device="cpu").refine(task)
    kernel = LevenbergMarquardt(panda, 1e-6, 1e-6).refine(task)
    assert abs(ours.converged.mean() - kernel.converged.mean()) < 0.1
    gap = pose_gap(panda.forward(ours.positions), targets[task.target_of_seed])
    assert gap[0][ours.converged].max() <= 1e-6


@pytest.mark.parametrize("precision", ["double", "mixed"])
@pytest.mark.parametrize("blocks", [0, 1, 2, 5])
def test_what_a_deadline_leaves_out_is_said(panda, rng, precision, blocks, monkeypatch):
    """A clock that counts its readings: what is over by then is reported, the rest left out."""
    targets = panda.forward(random_positions(panda, rng, 4))
    task = task_for(panda, targets, random_positions(panda, rng, 4 * 40), deadline=blocks)
    refiner = TorchLevenbergMarquardt(panda, 1e-5, 1e-5, device="cpu", precision=precision)
    whole = refiner.refine(task_for(panda, targets, task.seeds))
    clock = SimpleNamespace(perf_counter=iter(range(-1, 100)).__next__)
    monkeypatch.setattr(torch_run, "time", clock)
    monkeypatch.setattr(torch_lm, "time", SimpleNamespace(perf_counter=lambda: -1.0))
    result = refiner.refine(task)
    left_out = result.iterations == 0
    assert left_out.any() if blocks < 5 else not left_out.all()
    assert np.isinf(result.position_error[left_out]).all()
    np.testing.assert_array_equal(result.positions[left_out], task.seeds[left_out])
    assert not result.converged[left_out].any()
    assert (whole.converged | ~result.converged).all()
    gap = pose_gap(panda.forward(result.positions), targets[task.target_of_seed])
    np.testing.assert_allclose(result.position_error[~left_out], gap[0][~left_out], atol=1e-9)


def test_chunks_change_nothing(panda, rng, monkeypatch):
    targets = panda.forward(random_positions(panda, rng, 4))
    task = task_for(panda, targets, random_positions(panda, rng, 4 * 25))
    whole = TorchLevenbergMarquardt(panda, 1e-5, 1e-5, device="cpu").refine(task)
    monkeypatch.setitem(torch_run._CHUNK, "cpu", 7)
    parts = TorchLevenbergMarquardt(panda, 1e-5, 1e-5, device="cpu").refine(task)
    np.testing.assert_array_equal(whole.converged, parts.converged)
    np.testing.assert_allclose(whole.positions, parts.positions, atol=1e-6)


@pytest.mark.slow
def test_an_iteration_is_one_graph_for_all_numbers_of_seeds(panda, rng):
    """Nothing is read back and no shape depends on a value: what torch.compile needs."""
    step = step_of(panda, compiled=True)
    bounds = (torch.tensor(panda.lower)[:, None], torch.tensor(panda.upper)[:, None])
    plain = partial(iterate, step)
    graphs = []

    def count(graph, _):
        graphs.append(graph)
        return graph.forward

    compiled = torch.compile(plain, backend=count, dynamic=True, fullgraph=True)
    for size, look in ((8, False), (20, True), (21, False)):
        q = torch.tensor(random_positions(panda, rng, size).T.copy())
        target = target_columns(torch.tensor(panda.forward(random_positions(panda, rng, size))))
        words = (SeedBatch.begin(q, target), *bounds, torch.tensor(look))
        for ours, reference in zip(compiled(*words), plain(*words), strict=True):
            torch.testing.assert_close(ours, reference)
    assert len(graphs) == 1


class Replayed(GraphedBlock):
    """What graphs do, without CUDA: a replay reads and writes the memory of the capture."""

    def _capture(self, seeds, lower, upper, size):
        memory = padded(seeds, lower, upper, size)
        return SimpleNamespace(replay=lambda: self._in_place(memory)), memory


@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("precision", ["double", "mixed"])
def test_blocks_of_fixed_sizes_change_nothing(panda, rng, precision, share, monkeypatch):
    targets = panda.forward(random_positions(panda, rng, 20))
    task = task_for(panda, targets, random_positions(panda, rng, 20 * 21))
    plain = TorchLevenbergMarquardt(panda, 1e-5, 1e-5, device="cpu", precision=precision)
    monkeypatch.setitem(torch_run._SHRINK, "cpu", share)
    monkeypatch.setattr(
        torch_run, "fastest_block", lambda *a, **options: Replayed(eager_block(*a, **options))
    )
    fixed = TorchLevenbergMarquardt(panda, 1e-5, 1e-5, device="cpu", precision=precision)
    sizes = fixed.runner._levels[0][1]._graphs
    for _ in range(2):
        reference, result = plain.refine(task), fixed.refine(task)
        same = result.converged == reference.converged
        assert same.mean() > (0.995 if precision == "double" else 0.98)
        both = result.converged & reference.converged
        gap = np.abs(result.positions - reference.positions)[both]
        # Which of the seeds share a vector register changes the last bit.
        assert np.quantile(gap, 0.98) < (1e-9 if precision == "double" else 1e-4)
        assert abs(result.iterations - reference.iterations).mean() < 0.05
    assert {size for size, _ in sizes} == {256, 512}


def test_misuse(panda):
    with pytest.raises(UnknownNameError, match="auto, cpu, cuda"):
        TorchLevenbergMarquardt(panda, 1e-5, 1e-5, device="tpu")
    with pytest.raises(UnknownNameError, match="double, mixed"):
        TorchLevenbergMarquardt(panda, 1e-5, 1e-5, precision="half")
    if not torch.cuda.is_available():
        with pytest.raises(InvalidArgumentError, match="no CUDA device"):
            TorchLevenbergMarquardt(panda, 1e-5, 1e-5, device="cuda")


@needs_cuda
@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize("precision", ["double", "mixed"])
def test_cuda_does_what_the_cpu_does(panda, rng, precision, compiled):
    targets = panda.forward(random_positions(panda, rng, 20))
    task = task_for(panda, targets, random_positions(panda, rng, 20 * 64))
    cpu = TorchLevenbergMarquardt(panda, 1e-5, 1e-5, device="cpu").refine(task)
    refiner = TorchLevenbergMarquardt(
        panda, 1e-5, 1e-5, device="cuda", precision=precision, compiled=compiled
    )
    for _ in range(2):  # The second time graphs are there already.
        gpu = refiner.refine(task)
        assert (gpu.converged == cpu.converged).mean() > 0.97
        gap = pose_gap(panda.forward(gpu.positions), targets[task.target_of_seed])
        assert gap[0][gpu.converged].max() <= 1e-5 and gap[1][gpu.converged].max() <= 1e-5
        assert (gpu.positions >= panda.lower).all() and (gpu.positions <= panda.upper).all()
