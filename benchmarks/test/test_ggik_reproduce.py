"""The GGIK papers' tables with tiny models: figures by hand, and every row where it belongs."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from ggik_models import write_autoregressive, write_latent

from generative_ik_benchmarks.chains import known_cases
from generative_ik_benchmarks.plots.ggik import figures_4_to_8
from generative_ik_benchmarks.reproduce import ggik_models as module
from generative_ik_benchmarks.reproduce import ggik_samples
from generative_ik_benchmarks.reproduce.ggik import Report
from generative_ik_benchmarks.reproduce.ggik_models import (
    jobs,
    models_at_hand,
    purpose_of,
    takes_part,
    train_short,
)
from generative_ik_benchmarks.reproduce.ggik_published import STARTS, TABLES
from generative_ik_benchmarks.reproduce.ggik_samples import (
    COUNTS,
    RADII,
    Subject,
    accuracy,
    discrepancy,
    modes,
    sampling_times,
)
from generative_ik_benchmarks.reproduce.ggik_starts import starts_table
from generative_ik_ros.cli.main import main
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.checkpoint import user_weights
from generative_ik_ros.learned.ggik.weights import load_model, model_path

(UR10,) = known_cases(["ur10"])
ONE = {"ur10": UR10.chain.fingerprint}


@pytest.fixture(autouse=True)
def only_user_models(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "package_weights", lambda: tmp_path / "none")


@pytest.fixture
def path(tmp_path):
    return write_latent(tmp_path / "w.safetensors", ONE)


def test_models_go_to_the_tables_of_what_they_were_trained_on(tmp_path):
    write_latent(model_path(user_weights(), {}), {})
    files = {
        "one": write_latent(tmp_path / "one.safetensors", ONE),
        "many": write_latent(tmp_path / "many.safetensors", ONE | {"other": "f"}),
        "networks": write_latent(tmp_path / "gcn.safetensors", ONE, network="gcn"),
        "unseen": model_path(user_weights(), {}),
    }
    models = models_at_hand([files[name] for name in ("one", "many", "networks")])
    assert list(models)[0] == files["unseen"]
    for name, file in files.items():
        assert purpose_of(models[file]) == name and name in TABLES
        assert takes_part(models[file], UR10)
    (panda,) = known_cases(["panda"])
    assert not takes_part(models[files["one"]], panda)
    assert takes_part(models[files["unseen"]], panda)


def test_no_models_is_an_error_that_says_what_to_do():
    with pytest.raises(GenerativeIKError, match="train ggik"):
        models_at_hand()


@pytest.mark.parametrize(
    ("write", "network"), [(write_latent, "egnn"), (write_autoregressive, "autoregressive")]
)
def test_errors_are_those_of_the_sampler_and_the_best_of_more_is_better(write, network, tmp_path):
    row = accuracy(Subject(UR10, write(tmp_path / "w.safetensors", ONE), seed=3), 4)
    assert (row.purpose, row.network) == ("one", network)
    best = row.best[:, 0]
    assert best.shape == (len(COUNTS),) and (np.diff(best) <= 0).all()
    assert best[COUNTS.index(32)] == pytest.approx(row.position.mean_min)
    assert 0.0 <= row.success <= 1.0 and np.isfinite(row.elbo)


def test_modes_and_times(path, tmp_path):
    subject = Subject(UR10, path)
    spread = modes(subject, 40, 3)
    assert spread.positions.shape == (40, 6) and spread.position_error.shape == (40,)
    assert spread.clusters.shape == (len(RADII), 3)
    assert (np.diff(spread.clusters, axis=0) <= 0).all()  # wider radii join clusters
    times = sampling_times(subject, (1, 20))
    assert [(one.way, one.samples) for one in times] == [("PyTorch", 1), ("PyTorch", 20)]
    model = write_autoregressive(tmp_path / "autoregressive.safetensors", ONE)
    ways = [one.way for one in sampling_times(Subject(UR10, model), (1,))]
    assert ways == ["core", "PyTorch"]
    figure = tmp_path / "figure.png"
    report = Report(accuracy=[accuracy(subject, 2)], modes=[spread], times=times)
    figures_4_to_8(report).savefig(figure)
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_poses_with_one_solution_have_no_discrepancy(path, monkeypatch):
    alone = [SimpleNamespace(dense=np.zeros((1, 6)))]
    monkeypatch.setattr(ggik_samples, "exhaustive_sets", lambda *_: alone)
    row = discrepancy(Subject(UR10, path), 1)
    assert row.poses == 0 and np.isnan(row.samples)


def test_solvers_end_nearer_than_they_start(path):
    rows, absent = starts_table([Subject(UR10, path)], 1, 3, 1)
    assert not absent and len(rows) == 12
    by = {(row.solver, row.starts): row for row in rows}
    for starts in ("uniform", "quasi_random", "ggik"):
        raw, slsqp = by["none", starts], by["slsqp", starts]
        assert slsqp.position.mean < 0.5 * raw.position.mean
        assert 0 < slsqp.iterations[0] <= 100 and slsqp.milliseconds[0] > 0
        assert by["riemannian", starts].iterations[0] > 1
    assert len(STARTS) == 5


def test_models_for_single_tables_are_trained_for_them(tmp_path):
    wanted = {job.name: job for job in jobs(known_cases(["ur10", "lwa4p"]))}
    networks = [name for name in wanted if name.startswith("network-")]
    assert list(wanted)[:2] == ["only-ur10", "only-lwa4p"] and len(networks) == 6
    assert [case.label.partition(":")[0] for case in wanted["varied"].cases] == ["lwa4p"]
    assert [job.name for job in jobs([UR10], ["only", "varied"])] == ["only-ur10"]
    for name, knows in (("only-ur10", True), ("network-gcn", True), ("varied", False)):
        job, path = wanted[name], tmp_path / f"{name}.safetensors"
        train_short(job, 128, path)
        assert bool(load_model(path).robots) == knows


def test_command_prints_every_table(tmp_path, capsys):
    write_latent(model_path(user_weights(), {}), {})
    report = tmp_path / "report.json"
    words = ["reproduce", "ggik", "--quick", "--robot", "ur10", "--problems", "2"]
    assert main([*words, "--json", str(report)]) == 0
    out = capsys.readouterr().out
    for heading in ("table I:", "table II:", "table III:", "table IV", "table V:", "CoRL table 5"):
        assert heading in out
    for figure in (4, 7, 8):
        assert f"Figure {figure}" in out
    content = json.loads(report.read_text())
    assert content["accuracy"][0]["purpose"] == "unseen" and content["false_results"] == 0
    assert len(content["discrepancies"]) == 1
