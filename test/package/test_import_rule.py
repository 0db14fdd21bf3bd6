"""Imports go one way only, and the checker that says so does see an arrow that goes the other."""

from pathlib import Path

import pytest
from import_rule import ALLOWED, PACKAGE, violations

CHECKOUT = Path(__file__).resolve().parents[2]


def test_the_package_keeps_the_rule():
    assert violations(CHECKOUT / PACKAGE) == []


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A made-up package in which every part has a module that imports what it may."""
    folder = tmp_path / PACKAGE
    for part, allowed in ALLOWED.items():
        lines = [f"from {PACKAGE}.{other} import anything" for other in sorted(allowed)]
        path = folder / f"{part}.py" if part.startswith("__") else folder / part / "module.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(["import numpy", *lines]) + "\n")
    (folder / "ros" / "node.py").write_text("import rclpy\nfrom std_msgs.msg import String\n")
    return folder


def test_allowed_arrows_pass(package: Path):
    assert violations(package) == []


@pytest.mark.parametrize(
    ("part", "statement"),
    [
        ("errors", f"from {PACKAGE}.robot.chain import KinematicChain"),
        ("solutions", f"import {PACKAGE}.robot.chain"),
        ("robot", f"from {PACKAGE} import pipeline"),
        ("robot", f"from {PACKAGE}.graph.build import graph"),
        ("graph", f"from {PACKAGE}.samplers import base"),
        ("samplers", f"from {PACKAGE}.refine.base import Refiner"),
        ("samplers", "from ..pipeline import IKSolver"),
        ("refine", f"from {PACKAGE}.samplers.base import Sampler"),
        ("refine", f"from {PACKAGE}.select import verify"),
        ("refine", f"def late():\n    import {PACKAGE}.select.verify"),
        ("select", f"from {PACKAGE}.refine import base"),
        ("select", "from ..samplers.registry import sampler_names"),
        ("select", f"import_module('{PACKAGE}.refine.registry')"),
        ("pipeline", f"from {PACKAGE}.ros.node import main"),
        ("pipeline", f"from {PACKAGE}.training.loop import train"),
        ("evaluation", f"from {PACKAGE}.cli.main import main"),
        ("training", f"from {PACKAGE}.evaluation.metrics import coverage"),
        ("ros", f"from {PACKAGE}.cli.main import main"),
        ("cli", f"from {PACKAGE}.ros.node import main"),
        ("cli", f"from {PACKAGE}.srv import GetIKSolutions"),
        ("cli", "import rclpy"),
        ("pipeline", "from rclpy.node import Node"),
        ("select", "from geometry_msgs.msg import Pose"),
        ("robot", "import tf2_ros"),
        ("cli", f"from {PACKAGE} import IKSolver"),
        ("__main__", f"from {PACKAGE}.ros.node import main"),
    ],
)
def test_a_forbidden_arrow_fails(package: Path, part: str, statement: str):
    path = package / f"{part}.py" if part.startswith("__") else package / part / "bad.py"
    path.write_text(statement + "\n")
    (violation,) = violations(package)
    assert violation.startswith(str(path.relative_to(package)))


def test_a_part_that_the_rule_does_not_know_fails(package: Path):
    (package / "utilities.py").write_text("import math\n")
    assert violations(package) == ["utilities.py: 'utilities' has no place in the import rule"]
