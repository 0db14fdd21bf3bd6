"""Short trainings on the CPU: they learn, resume exactly, recover, and share work."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from robots import planar_two_joints, random_chain

from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.cli.main import main
from generative_ik_ros.errors import InvalidArgumentError, MissingDependencyError
from generative_ik_ros.learned.checkpoint import CheckpointError, load_checkpoint
from generative_ik_ros.learned.ikflow.sampler import IKFlow
from generative_ik_ros.learned.ikflow.weights import config_for, load_flow
from generative_ik_ros.learned.training import loop
from generative_ik_ros.learned.training.config import TrainOptions
from generative_ik_ros.learned.training.data import PoseData, pose_errors
from generative_ik_ros.learned.training.ikflow_task import FlowTask
from generative_ik_ros.learned.training.log import log_path, read_log
from generative_ik_ros.learned.training.loop import TrainingDivergedError, state_path, train
from generative_ik_ros.learned.training.probe import Probe
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.known import load_robot
from generative_ik_ros.samplers.base import SeedRequest

CPU = torch.device("cpu")
CHECKOUT = Path(__file__).parents[2]


def small_task(chain=None, probe=False, **settings):
    chain = planar_two_joints() if chain is None else chain
    sizes = {"layers": 4, "hidden": 16, "condition_hidden": 32}
    known = Probe(chain, poses=4, samples=50) if probe else None
    return FlowTask(chain, config_for(chain, **(sizes | settings)), CPU, probe=known)


def run(task, output, resume=False, report=lambda _: None, **options):
    given = {"batch": 128, "check_every": 5, "report_every": 1e-9, "checkpoint_every": 1e-9}
    options = TrainOptions(**(given | {"evaluate_every": 0.0} | options))
    return train(
        task, options, output, fingerprint=task.chain.fingerprint, resume=resume, report=report
    )


def test_inner_joints_are_trained_and_outer_ones_follow(tmp_path):
    chain = random_chain(np.random.default_rng(4), 5, ("revolute", "continuous"))[1]
    task = small_task(chain)
    assert task.config.closed == (0, 4) and task.config.width == 3
    before = task.evaluate()
    after = run(task, tmp_path / "w.safetensors", steps=150, learning_rate=5e-3, ema=0.98,
                warm_up=20)["figures"]  # fmt: skip
    assert after["held_out_loss"] < before["held_out_loss"] - 0.5
    assert after["position_error_mm"] < before["position_error_mm"]


def test_twenty_seconds_at_most_teach_two_joints(tmp_path):
    task = small_task()
    before = task.evaluate()
    reports = []
    output = tmp_path / "w.safetensors"
    summary = run(
        task, output, report=reports.append, steps=400, batch=256, learning_rate=5e-3, ema=0.98,
        check_every=20, warm_up=20,
    )  # fmt: skip
    after = summary["figures"]
    assert after["held_out_loss"] < before["held_out_loss"] - 2.0
    assert after["position_error_mm"] < 0.5 * before["position_error_mm"]
    assert after["converged_in_10"] > 0.7
    assert reports[-1].step == 400
    assert reports[-1].samples_per_second > 0.0
    assert reports[-1].seconds_left == 0.0

    chain = task.chain
    q = np.array([[0.5, 1.0]])
    request = SeedRequest(chain.forward(q), 200, chain.lower, chain.upper, 0)
    seeds = IKFlow(chain, weights=output).propose(request)[0]
    error = np.linalg.norm(chain.forward(seeds)[:, :3, 3] - chain.forward(q)[:, :3, 3], axis=-1)
    assert np.median(error) < 0.3


def test_resuming_goes_on_exactly(tmp_path):
    whole = small_task()
    run(whole, tmp_path / "whole.safetensors", steps=30)

    def stop(progress):
        if progress.step == 15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(small_task(), tmp_path / "part.safetensors", report=stop, steps=30)
    again = small_task()
    run(again, tmp_path / "part.safetensors", resume=True, steps=30)
    for one, two in zip(whole.model.parameters(), again.model.parameters(), strict=True):
        torch.testing.assert_close(one, two, atol=0, rtol=0)
    kept = [
        load_checkpoint(tmp_path / f"{name}.safetensors", sampler="ikflow").tensors
        for name in ("whole", "part")
    ]
    for name, values in kept[0].items():
        np.testing.assert_array_equal(values, kept[1][name])


def test_resuming_another_model_or_nothing_is_refused(tmp_path):
    output = tmp_path / "w.safetensors"
    with pytest.raises(CheckpointError, match="cannot read .*w.training.safetensors"):
        run(small_task(), output, resume=True, steps=5)
    run(small_task(), output, steps=5)
    with pytest.raises(CheckpointError, match="another model configuration"):
        run(small_task(hidden=8), output, resume=True, steps=10)
    other = random_chain(np.random.default_rng(0), 3)[1]
    with pytest.raises(CheckpointError, match="another chain"):
        run(small_task(other), output, resume=True, steps=10)
    state_path(output).write_bytes(output.read_bytes())
    with pytest.raises(CheckpointError, match="damaged"):
        run(small_task(), output, resume=True, steps=10)


class Poisoned(FlowTask):
    """Spoils one step of each attempt before `sound_after`."""

    sound_after = 2
    attempts = 0

    def loss(self, count, generator):
        loss = super().loss(count, generator)
        if self.model.training:
            self.seen = getattr(self, "seen", 0) + 1
            if self.seen % 17 == 0 and self.attempts < self.sound_after:
                self.attempts += 1
                return loss * float("nan")
        return loss


def test_divergence_is_recovered_from(tmp_path):
    chain = planar_two_joints()
    task = Poisoned(chain, config_for(chain, layers=2, hidden=8, condition_hidden=8), CPU)
    summary = run(task, tmp_path / "w.safetensors", steps=60)
    assert summary["recoveries"] == 2 and summary["steps"] == 60
    assert np.isfinite(summary["loss"])
    load_flow(tmp_path / "w.safetensors", chain)


def test_endless_divergence_is_an_error_and_leaves_good_weights(tmp_path):
    chain = planar_two_joints()
    task = Poisoned(chain, config_for(chain, layers=2, hidden=8, condition_hidden=8), CPU)
    task.sound_after = 10**9
    with pytest.raises(TrainingDivergedError, match="diverged 4 times"):
        run(task, tmp_path / "w.safetensors", steps=400, recoveries=3)
    load_flow(tmp_path / "w.safetensors", chain)


def test_a_rising_loss_is_divergence_too(tmp_path):
    task = small_task()
    with pytest.raises(TrainingDivergedError):
        run(task, tmp_path / "w.safetensors", steps=300, learning_rate=50.0, warm_up=0,
            recoveries=1, patience=0.5)  # fmt: skip


def test_training_by_time_ends_in_time(tmp_path):
    summary = run(small_task(), tmp_path / "w.safetensors", minutes=0.02)
    assert summary["steps"] > 5 and summary["minutes"] < 0.1


def test_bfloat16_trains(tmp_path):
    chain = planar_two_joints()
    task = FlowTask(chain, config_for(chain, layers=2, hidden=8), CPU, bf16=True)
    assert np.isfinite(run(task, tmp_path / "w.safetensors", steps=10)["loss"])


def test_data_are_inside_the_limits_and_poses_are_the_chains():
    chain = random_chain(np.random.default_rng(5), 5)[1]
    data = PoseData(chain, CPU)
    boxed = data.boxed(500, torch.Generator().manual_seed(0))
    assert boxed.abs().max() <= 1.0
    q = (data._middle + data._half * boxed).double().numpy()
    expected = torch.tensor(chain.canonical_target(chain.forward(q)))
    distance, angle = pose_errors(data.poses(boxed).double(), expected)
    assert distance.max() < 1e-5 and angle.max() < 1e-3
    limited = ~chain.continuous
    assert (q >= chain.lower - 1e-6)[:, limited].all() and (q <= chain.upper + 1e-6)[
        :, limited
    ].all()


def test_softflow_noise_is_scaled_by_its_level_and_kept_in_the_box():
    task = small_task(noise_scale=0.05)
    generator = torch.Generator().manual_seed(0)
    boxed = task._data.boxed(20_000, generator)
    quiet = task._noisy(boxed, torch.zeros(len(boxed)), generator)
    torch.testing.assert_close(quiet, boxed, atol=1e-6, rtol=0)
    loud = task._noisy(boxed, torch.ones(len(boxed)), generator)
    assert loud.abs().max() <= 1.0
    inside = boxed.abs().max(-1).values < 0.7
    assert float((loud - boxed)[inside].std()) == pytest.approx(0.05, rel=0.05)


def test_without_tensorboard_a_log_is_an_error_that_says_what_to_install(tmp_path):
    if find_spec("tensorboard") is not None:
        pytest.skip("tensorboard is installed")
    with pytest.raises(MissingDependencyError, match="pip install tensorboard"):
        run(small_task(), tmp_path / "w.safetensors", steps=5, tensorboard=tmp_path / "log")


def test_the_log_can_be_read_back(tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    summary = run(
        small_task(probe=True), tmp_path / "w.safetensors", steps=20, evaluate_every=1e-9,
        tensorboard=tmp_path / "log",
    )  # fmt: skip
    log = accumulator.EventAccumulator(str(tmp_path / "log"))
    log.Reload()
    names = {"loss", "samples_per_second", *summary["figures"]}
    assert names == set(log.Tags()["scalars"]) and "mmd" in names
    assert [event.step for event in log.Scalars("loss")][0] == 5
    last = log.Scalars("held_out_loss")[-1]
    assert last.step == 20
    assert last.value == pytest.approx(summary["figures"]["held_out_loss"], rel=1e-5)


def test_evaluations_are_kept_beside_the_weights_and_go_on_when_resumed(tmp_path):
    output = tmp_path / "w.safetensors"
    summary = run(small_task(), output, steps=20, evaluate_every=1e-9)
    rows = read_log(log_path(output))
    assert [row["step"] for row in rows] == [5, 10, 15, 20, 20]
    assert rows[-1]["samples"] == 20 * 128 and rows[-1]["seconds"] >= rows[0]["seconds"]
    assert {k: rows[-1][k] for k in summary["figures"]} == summary["figures"]
    run(small_task(), output, steps=30, evaluate_every=1e-9, resume=True)
    again = read_log(log_path(output))
    assert again[:5] == rows and [row["step"] for row in again[5:]] == [25, 30, 30]
    run(small_task(), output, steps=10)
    assert [row["step"] for row in read_log(log_path(output))] == [10]


@pytest.mark.parametrize("kept", [3, 40, -2, -1])
def test_a_line_that_was_cut_is_left_out_when_resumed(tmp_path, kept):
    """A crash may write the beginning of the last line, or all of it but its end."""
    output = tmp_path / "w.safetensors"
    run(small_task(), output, steps=20, evaluate_every=1e-9)
    rows, log = read_log(log_path(output)), log_path(output)
    *lines, last = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines) + last[:kept])
    left = rows if kept == -1 else rows[:-1]
    assert read_log(log) == left
    run(small_task(), output, steps=25, evaluate_every=1e-9, resume=True)
    again = read_log(log)
    assert again[: len(left)] == left and [row["step"] for row in again[len(left) :]] == [25, 25]


@pytest.mark.parametrize(
    "text",
    [
        "notes",
        '{"step": 1, "samples": 2}\nnotes',
        '{"step": 1, "sam\n{"step": 2, "samples": 2}\n',
        '{"step": 1}\n{"step": 2, "sam',
    ],
)
def test_only_a_log_is_read_as_one(tmp_path, text):
    path = tmp_path / "w.training.jsonl"
    path.write_text(text)
    with pytest.raises(InvalidArgumentError, match="is no log of a training"):
        read_log(path)


def test_a_picture_of_the_course_of_trainings(tmp_path, refused):
    pytest.importorskip("matplotlib")
    logs = [tmp_path / f"{name}.safetensors" for name in ("short", "long")]
    for steps, output in zip((10, 20), logs, strict=True):
        run(small_task(), output, steps=steps, evaluate_every=1e-9)
    logs = [str(log_path(output)) for output in logs]
    picture = tmp_path / "curve.svg"
    words = ["train", "curve", *logs, "--output", str(picture)]
    assert main([*words, "--level", "position_error_mm=7.75", "--title", "two trainings"]) == 0
    assert picture.read_text().startswith("<?xml")
    for bad in (["--figure", "beauty"], ["--level", "mmd"], ["--output", "curve.doc"],
                [str(tmp_path / "none.jsonl")], [str(picture)]):  # fmt: skip
        refused(*words, *bad)


def test_the_discrepancy_tells_solutions_from_chance():
    chain = planar_two_joints()
    probe = Probe(chain, poses=8)
    rng = np.random.default_rng(0)
    guesses = rng.uniform(chain.lower, chain.upper, (8, 50, 2))
    # Position and angle of the tool leave one answer: what the local solver makes of any guess.
    exact = LevenbergMarquardt(chain, 1e-8, 1e-8).refine(
        SearchBox.of(chain).refine_task(probe.targets, guesses)
    )
    rows = exact.positions.reshape(8, 50, 2)
    answers = np.array(
        [one[right][:1] for one, right in zip(rows, exact.converged.reshape(8, 50), strict=True)]
    )
    assert probe.discrepancy(np.repeat(answers, 50, axis=1)) < 1e-6
    assert probe.discrepancy(guesses) > 0.1


@pytest.mark.parametrize("bad", [{"minutes": 0}, {"batch": 0}, {"steps": 0}, {"ema": 1.0}])
def test_bad_options_are_refused(bad):
    with pytest.raises(InvalidArgumentError):
        TrainOptions(**bad)


PEERS = """
import sys
from pathlib import Path
import torch
torch.set_num_threads(1)
sys.path.insert(0, sys.argv[2])
from robots import planar_two_joints
from generative_ik_ros.learned.ikflow.weights import config_for
from generative_ik_ros.learned.training.ikflow_task import FlowTask
from generative_ik_ros.learned.training.loop import train
from generative_ik_ros.learned.training.config import TrainOptions
import os
chain = planar_two_joints()
config = config_for(chain, layers=2, hidden=8, condition_hidden=8)
task = FlowTask(chain, config, torch.device("cpu"))
folder = Path(sys.argv[1])
options = TrainOptions(steps=12, batch=32, check_every=4)
summary = train(task, options, folder / "w.safetensors", fingerprint=chain.fingerprint)
rank = os.environ["RANK"]
assert bool(summary) == (rank == "0")
torch.save([p.detach() for p in task.model.parameters()], folder / f"{rank}.pt")
"""


def test_two_processes_train_one_model(tmp_path):
    script = tmp_path / "peers.py"
    script.write_text(PEERS)
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(CHECKOUT)}
    subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
         str(script), str(tmp_path), str(CHECKOUT / "test" / "core")],
        check=True, env=environment, timeout=120, capture_output=True,
    )  # fmt: skip
    one, two = (torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in (0, 1))
    for a, b in zip(one, two, strict=True):
        torch.testing.assert_close(a, b, atol=0, rtol=0)
    found = load_checkpoint(tmp_path / "w.safetensors", sampler="ikflow")
    assert found.training["samples"] == 2 * 12 * 32


SMALL = ["--device", "cpu", "--set", "layers=2", "--set", "hidden=8", "--set", "batch=64",
         "--set", "threads=1"]  # fmt: skip


def test_command_line(tmp_path, shell, refused):
    output = tmp_path / "w.safetensors"
    words = ["train", "ikflow", "--robot", "panda", "--minutes", "0.01", *SMALL, "--output",
             output, "--json"]  # fmt: skip
    trained = shell(*words)
    assert trained.code == 0 and '"fingerprint"' in trained.out
    assert shell(*words, "--resume").code == 0
    again = tmp_path / "again.safetensors"
    assert shell(*words, "--start-from", output, "--output", again).code == 0
    assert again.is_file()
    refused(*words, "--start-from", tmp_path / "none.safetensors")
    for bad in (["--robot", "nope"], ["--device", "tpu"], ["--output", "x.bin"],
                ["--minutes", "0"], ["--set", "untouched=200"]):  # fmt: skip
        refused(*words, *bad)
    refused("train", "ikflow")
    refused(*words, "--output", tmp_path / "new.safetensors", "--resume", says="no training to go")


@pytest.mark.parametrize("every", [1e-9, 1e6])
def test_ctrl_c_says_whether_there_is_something_to_resume(tmp_path, shell, monkeypatch, every):
    output = tmp_path / "w.safetensors"
    words = ["train", "ikflow", "--robot", "panda", *SMALL, "--output", output]
    assert shell(*words, "--minutes", "0.01").code == 0

    def interrupted(*args):
        if args[0].state.counters.step == 40:
            raise KeyboardInterrupt
        step(*args)

    step = loop._Run.step
    monkeypatch.setattr(loop._Run, "step", interrupted)
    stopped = shell(*words, "--minutes", "1", "--set", f"checkpoint_every={every}")
    assert stopped.code == 130
    kept = "--resume goes on" in stopped.err
    assert kept == (every < 1.0) and kept != ("nothing is kept" in stopped.err)


def test_user_weights_are_where_the_sampler_looks(capsys):
    assert main(["train", "ikflow", "--robot", "ur10", "--minutes", "0.01", *SMALL]) == 0
    assert IKFlow(load_robot("ur10")).path.is_file()
