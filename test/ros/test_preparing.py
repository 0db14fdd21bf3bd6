"""Requests, parameters and signals while samplers load."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from bad_urdfs import GOOD_URDF
from good_arm import GOOD, reachable, reaches
from ik_client import Response, request

MISSING = "which is not installed: pip install 'generative_ik_ros[learned]'"


@pytest.fixture
def no_torch(monkeypatch, tmp_path):
    """Processes that start now cannot import torch."""
    (tmp_path / "torch.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)


@pytest.fixture(scope="module")
def late(start_node, client_of, tmp_path_factory):
    """A node with the samplers of late_node, its client, and the folder they wait for."""
    folder = tmp_path_factory.mktemp("late")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LATE_SAMPLER", str(folder))
        node = start_node(module="late_node", robot_description=GOOD_URDF)
    client = client_of(node)
    node.wait_for("robot 'good' ready")
    return node, client, folder


@pytest.fixture(autouse=True)
def restored(request):
    """A test that changes the parameters of the shared node sets them back."""
    yield
    if "late" in request.fixturenames:
        _, client, _ = request.getfixturevalue("late")
        back = {"sampler": "auto", "num_solutions": 100, "position_tolerance": 1e-5}
        assert all(one.successful for one in client.set_parameters(**back))


def test_a_node_that_prepares_says_so_and_obeys(start_node, client_of, monkeypatch, tmp_path):
    monkeypatch.setenv("LATE_SAMPLER", str(tmp_path))
    node = start_node(module="late_node", sampler="late")
    client = client_of(node, prepared=False)
    client.describe_robot(GOOD_URDF)
    answer = client.until(
        request(reachable(GOOD)),
        lambda one: one.status != Response.NO_ROBOT_DESCRIPTION and "(1 of 3)" not in one.message,
    )
    assert answer.status == Response.PREPARING
    assert answer.message.startswith("preparing robot 'good' for ")
    assert "(2 of 3)" in answer.message and "try again" in answer.message
    shown = node.health()
    assert shown.returncode == 1 and "WARN: preparing robot 'good' for " in shown.stdout
    assert client.set_parameters(num_solutions=7)[0].successful
    assert client.get_parameters("num_solutions")[0].integer_value == 7
    node.wait_for("preparing robot 'good' for 2 s: loading sampler 'late' (2 of 3)")
    assert client.call(request(reachable(GOOD))).status == Response.PREPARING
    node.signal(signal.SIGINT)
    code, seconds = node.wait()
    assert code == 0 and seconds < 3.0, node.output()


def test_a_sampler_loads_while_the_current_one_serves(late):
    node, client, folder = late
    target = reachable(GOOD)
    (result,) = client.set_parameters(sampler="late")
    assert result.successful  # before the sampler is loaded
    node.wait_for("preparing robot 'good' for 2 s: loading sampler 'late' (2 of 3)")
    for _ in range(5):
        answer = client.call(request(target, num_solutions=1, timeout=1.0))
        assert answer.status == Response.SOLVED and answer.sampler == "quasi_random"
    assert client.set_parameters(num_solutions=3)[0].successful
    assert client.call(request(target)).message == "1 of 3 solutions found"
    shown = node.health()
    assert shown.returncode == 0 and "loading sampler 'late'" in shown.stdout
    mark = node.mark()
    (folder / "late").touch()
    node.wait_for("sampler late; preparation took", mark)
    answer = client.call(request(target, timeout=1.0))
    assert answer.sampler == "late" and reaches(GOOD, answer, target[0])
    assert answer.message == "1 of 3 solutions found"


def test_new_tolerances_take_effect_when_their_solver_is_ready(late):
    """No request waits for it, however short its deadline."""
    _, client, _ = late
    message = request(reachable(GOOD), num_solutions=1, timeout=0.01)
    for tolerance in (1e-6, 2e-6, 3e-6, 4e-6):
        assert client.set_parameters(position_tolerance=tolerance)[0].successful
        # A busy machine may let so short a deadline pass.
        assert any(client.call(message).status == Response.SOLVED for _ in range(5))
    assert client.get_parameters("position_tolerance")[0].double_value == 4e-6


def test_the_latest_of_two_changes_counts(late):
    node, client, folder = late
    assert client.set_parameters(sampler="latest")[0].successful
    assert client.set_parameters(sampler="uniform")[0].successful
    assert client.call(request(reachable(GOOD), num_solutions=1)).sampler == "uniform"
    (folder / "latest").touch()
    time.sleep(0.5)
    assert client.call(request(reachable(GOOD), num_solutions=1)).sampler == "uniform"


def test_a_request_does_not_wait_for_a_sampler_beyond_its_deadline(late):
    node, client, folder = late
    message = request(reachable(GOOD), num_solutions=1, sampler="later", timeout=0.4)
    # Not while the machine stops for a moment.
    answer = client.until(message, lambda one: one.total_time < 0.6)
    assert answer.status == Response.PREPARING
    assert "sampler 'later' is being loaded for this arm; try again" in answer.message
    # Requests that wait leave the cores to others.
    waiting = [
        client.call_async(request(reachable(GOOD), num_solutions=1, sampler="later", timeout=20.0))
        for _ in range(3)
    ]
    time.sleep(0.3)
    other = client.call(request(reachable(GOOD), num_solutions=1, timeout=1.0))
    assert other.status == Response.SOLVED
    (folder / "later").touch()
    for one in waiting:
        client._when(one.done, 15.0)
        assert one.result().sampler == "later" and one.result().status == Response.SOLVED
    answer = client.until(message, lambda one: one.total_time < 0.4)
    assert answer.sampler == "later"


def test_a_signal_does_not_wait_for_a_sampler(start_node, monkeypatch, tmp_path):
    """While the node is made; above, once it has said that it waits."""
    monkeypatch.setenv("LATE_SAMPLER", str(tmp_path))
    node = start_node(module="late_node", robot_description=GOOD_URDF, sampler="late")
    end = time.monotonic() + 30.0
    while not (tmp_path / "late_begun").exists():
        assert node.alive and time.monotonic() < end, node.output()
        time.sleep(0.01)
    node.signal(signal.SIGINT)
    code, seconds = node.wait()
    assert code == 0 and seconds < 3.0, node.output()


def test_a_sampler_without_weights_is_refused(start_node, client_of):
    pytest.importorskip("safetensors")
    node = start_node(robot_description=GOOD_URDF)
    client = client_of(node)
    target = reachable(GOOD)
    client.until(request(target, num_solutions=1), lambda one: one.status == Response.SOLVED)
    (result,) = client.set_parameters(sampler="ikflow")
    if result.successful:  # torch is imported for longer than the parameter waits
        node.wait_for("'ikflow' has no weights for the chain", timeout=120.0)
        assert client.set_parameters(sampler="auto")[0].successful
        (result,) = client.set_parameters(sampler="ikflow")
    assert not result.successful and "'ikflow' has no weights for the chain" in result.reason
    assert client.get_parameters("sampler")[0].string_value == "auto"
    assert client.call(request(target)).sampler == "quasi_random"
    assert node.health().returncode == 0


def test_without_torch_a_learned_sampler_is_one_line(no_torch, start_node, client_of, panda_urdf):
    node = start_node(robot_description=panda_urdf, tip_link="panda_hand_tcp")
    client = client_of(node)
    client.until(request(np.eye(4)[None]), lambda one: one.status > 0)
    (result,) = client.set_parameters(sampler="ikflow")
    assert not result.successful
    assert result.reason == f"sampler 'ikflow' needs torch, {MISSING}"
    for _ in range(2):
        answer = client.call(request(np.eye(4)[None], sampler="ikflow"))
        assert answer.status == Response.INVALID_REQUEST
        assert answer.message == f"sampler 'ikflow' needs torch, {MISSING}"


def test_without_torch_the_start_is_one_line(no_torch, ros, tmp_path, panda_urdf):
    file = tmp_path / "parameters.yaml"
    values = {
        "robot_description": panda_urdf, "sampler": "ikflow", "tip_link": "panda_hand_tcp"
    }  # fmt: skip
    file.write_text(json.dumps({"/**": {"ros__parameters": values}}))
    ended = subprocess.run(
        [sys.executable, "-m", "generative_ik_ros.ros.node", "--ros-args", "--params-file", file],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert f"needs torch, {MISSING}" in " ".join(ended.stderr.split())
    assert "Traceback" not in ended.stderr and len(ended.stderr.splitlines()) < 4
