"""Imports go one way only, and the checker that says so does see an arrow that goes the other."""

from pathlib import Path

import pytest
from import_rule import ALLOWED, BENCHMARKS, PACKAGE, REGISTRIES, circles, violations

CHECKOUT = Path(__file__).resolve().parents[2]


def test_the_package_keeps_the_rule():
    assert violations(CHECKOUT / PACKAGE) == []


def test_no_modules_import_each_other_in_a_circle():
    assert circles(CHECKOUT / PACKAGE) == []


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A made-up package in which every part has a module that imports what it may."""
    folder = tmp_path / PACKAGE
    for part, allowed in ALLOWED.items():
        lines = [
            f"from {PACKAGE}.{other} import anything".replace("/", ".")
            for other in sorted(allowed)
        ]
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
        ("robot", f"from {PACKAGE} import pipeline"),
        ("samplers", f"place = '{PACKAGE}.learned.ikflow.sampler:IKFlow'"),
        ("samplers", "from ..pipeline import IKSolver"),
        ("refine", f"def late():\n    import {PACKAGE}.select.verify"),
        ("pipeline", f"def late():\n    from {PACKAGE}.learned.checkpoint import find_weights"),
        ("ros", f"from {PACKAGE}.learned import checkpoint"),
        ("learned", f"from {PACKAGE}.search.search import Search\nimport {BENCHMARKS}"),
        ("cli", f"import_module('{BENCHMARKS}')"),
        ("__init__", f"from {PACKAGE}.learned import checkpoint"),
        ("cli", f"from {PACKAGE}.srv import GetIKSolutions"),
        ("select", "from geometry_msgs.msg import Pose"),
        ("cli", f"from {PACKAGE} import IKSolver"),
    ],
)
def test_a_forbidden_arrow_fails(package: Path, part: str, statement: str):
    path = package / f"{part}.py" if part.startswith("__") else package / part / "bad.py"
    path.write_text(statement + "\n")
    (violation,) = violations(package)
    assert violation.startswith(str(path.relative_to(package)))


@pytest.mark.parametrize("registry", REGISTRIES)
def test_a_registry_names_learned_models_and_does_not_import_them(package: Path, registry: str):
    path = package / registry
    path.write_text(f"PLACES = {{'ikflow': '{PACKAGE}.learned.ikflow.sampler:IKFlow'}}\n")
    assert violations(package) == []
    path.write_text(f"from {PACKAGE}.learned.ikflow.sampler import IKFlow\n")
    (violation,) = violations(package)
    assert violation.startswith(registry)


def test_a_part_that_the_rule_does_not_know_fails(package: Path):
    (package / "utilities.py").write_text("import math\n")
    assert violations(package) == ["utilities.py: 'utilities' has no place in the import rule"]


@pytest.mark.parametrize(
    "statement",
    [
        f"from {PACKAGE}.robot.bones import Bone",
        f"from {PACKAGE}.robot import bones",
        "from .bones import Bone",
        f"def late():\n    from {PACKAGE}.robot.bones import Bone",
    ],
)
def test_a_circle_is_found_through_every_form_of_import(package: Path, statement: str):
    assert circles(package) == []
    robot = package / "robot"
    (robot / "bones.py").write_text(f"from {PACKAGE}.robot.skin import Skin\n")
    (robot / "skin.py").write_text(f"from {PACKAGE}.robot.body import Body\n")
    (robot / "body.py").write_text(statement + "\n")
    (robot / "user.py").write_text(f"import {PACKAGE}.robot.body\n")
    assert circles(package) == [[f"{PACKAGE}.robot.{name}" for name in ("body", "bones", "skin")]]
