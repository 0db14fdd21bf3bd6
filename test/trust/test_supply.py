"""Supply chain: no pickle, no network, known licences, checksums of weights."""

import ast
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generative_ik_ros.learned.checkpoint import package_weights

CHECKOUT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    path
    for folder in ("generative_ik_ros", "scripts", "launch")
    for path in (CHECKOUT / folder).rglob("*.py")
)
UNPICKLERS = {"pickle", "_pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal", "joblib"}
RUNNERS = {"eval", "exec", "compile", "__import__"}


def dangers(text):
    """Yield each line of Python source that executes or unpickles external data."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name.split(".")[0] in UNPICKLERS:
                    yield node.lineno, name.name
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in UNPICKLERS:
            yield node.lineno, node.module
        elif isinstance(node, ast.Call):
            yield from _danger_of_call(node)


def _danger_of_call(call):
    keywords = {k.arg: getattr(k.value, "value", None) for k in call.keywords}
    name = ast.unparse(call.func)
    if name in RUNNERS:
        yield call.lineno, name
    if name.endswith("torch.load") and keywords.get("weights_only") is not True:
        yield call.lineno, name
    if name in ("np.load", "numpy.load") and keywords.get("allow_pickle") is not False:
        yield call.lineno, name
    if name in ("yaml.load", "yaml.unsafe_load", "yaml.full_load", "os.system", "os.popen"):
        yield call.lineno, name
    if keywords.get("shell") is True or keywords.get("allow_pickle") is True:
        yield call.lineno, name


def test_nothing_is_unpickled_or_executed():
    found = {
        str(path.relative_to(CHECKOUT)): list(dangers(path.read_text(encoding="utf-8")))
        for path in SOURCES
    }
    assert len(found) > 100 and {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from cloudpickle import loads",
        "import os, shelve",
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "yaml.load(text)",
        "subprocess.run(line, shell=True)",
        "eval(text)",
        "os.system(text)",
    ],
)
def test_the_scan_detects_dangerous_code(line):
    assert len(set(dangers(line))) == 1


def test_weights_have_the_listed_checksums():
    """`make checksums` writes the list; `sha256sum -c SHA256SUMS` checks it as well."""
    folder = package_weights()
    listed = {}
    for line in (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        checksum, name = line.split("  ")
        listed[name] = checksum
    files = {
        str(path.relative_to(folder)): path
        for path in folder.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS"
    }
    assert set(listed) == set(files), "run: make checksums"
    assert all(Path(name).suffix == ".safetensors" for name in files)
    for name, path in files.items():
        assert hashlib.sha256(path.read_bytes()).hexdigest() == listed[name], name


def test_every_dependency_is_listed_with_its_licence():
    tomllib = pytest.importorskip("tomllib", reason="tomllib came with Python 3.11")
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    page = (CHECKOUT / "docs" / "licenses.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| ([\w.-]+) \| (.+) \|$", page, re.MULTILINE))
    declared = [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]
    for line in declared:
        name = re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", line)[0]).lower()
        assert name in listed, f"{name}: run make licenses"


def test_runtime_dependencies_have_no_copyleft_licence():
    """The core, ROS and the learned samplers can be used in proprietary products."""
    page = (CHECKOUT / "docs" / "licenses.md").read_text(encoding="utf-8")
    needed = page.split("## Web viewer")[0]
    rows = re.findall(r"^\| ([\w.-]+) \| (.+) \|$", needed, re.MULTILINE)
    assert len(rows) > 50
    # One of several licences is enough: docutils is in the public domain as well.
    copyleft = [row for row in rows if re.search("GPL", row[1]) and "Public Domain" not in row[1]]
    assert copyleft == []


SOLVE = """
import sys
import numpy as np
from generative_ik_ros import IKSolver
from generative_ik_ros.robot.known import load_robot
chain = load_robot("panda")
target = chain.forward((chain.lower + chain.upper) / 2 + 0.2)
for sampler in sys.argv[1:]:
    found = IKSolver(chain, sampler).solve(target, 5)
    print(sampler, found.counts[0])
"""
GUARD = """
import socket, sys
def guard(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.bind"):
        raise SystemExit(f"network: {event} {arguments}")
sys.addaudithook(guard)
"""
SAMPLERS = ["auto", "uniform", "capability_map"]
LEARNED = ["ikflow", "ggik", "distal"] if importlib.util.find_spec("torch") else []


def run(command, **options):
    return subprocess.run(
        command, capture_output=True, text=True, timeout=280, check=False, **options
    )


def test_nothing_uses_the_network(tmp_path):
    """Loading, sampling and solving open no socket, according to Python's audit events."""
    done = run([sys.executable, "-c", GUARD + SOLVE, *SAMPLERS, *LEARNED], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split()[1::2] == ["5"] * len([*SAMPLERS, *LEARNED])


def test_the_guard_detects_a_connection(tmp_path):
    code = GUARD + "import urllib.request; urllib.request.urlopen('http://example.invalid')"
    done = run([sys.executable, "-c", code], cwd=tmp_path)
    assert done.returncode == 1 and "network: socket.getaddrinfo" in done.stderr


def can_be_cut_off():
    tools = shutil.which("unshare") and shutil.which("ip")
    return bool(tools) and run(["unshare", "-rn", "true"]).returncode == 0


@pytest.mark.skipif(not can_be_cut_off(), reason="network namespaces are not permitted")
def test_the_command_line_works_without_any_network(tmp_path):
    """In a namespace without even a loopback interface, which also covers C libraries."""
    words = ["solve", "--robot", "panda", "--num-solutions", "3", "--json"]
    done = run(["unshare", "-rn", sys.executable, "-m", "generative_ik_ros", *words], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(json.loads(done.stdout)["positions"]) == 3


@pytest.mark.skipif(
    not can_be_cut_off() or importlib.util.find_spec("rclpy") is None,
    reason="network namespaces are not permitted, or no ROS",
)
def test_the_node_works_with_loopback_only(tmp_path):
    """DDS needs loopback: node and client discover each other."""
    script = (
        "ip link set lo up; "
        f'"{sys.executable}" -m generative_ik_ros.ros.node --ros-args -p sampler:=uniform & '
        f'"{sys.executable}" -m generative_ik_ros.ros.health --node /generative_ik --timeout 60; '
        "code=$?; kill -TERM %1 2>/dev/null || kill -TERM $!; wait; exit $code"
    )
    done = run(
        ["unshare", "-rn", "bash", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"},
    )
    # 1: the node was heard, with a warning because it has no robot.
    assert done.returncode == 1, done.stdout + done.stderr
    assert "/generative_ik: WARN: no usable robot description yet" in done.stdout
