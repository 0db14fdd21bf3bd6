"""Importing the package is cheap: generated interfaces share it, so every ROS tool pays for it."""

import subprocess
import sys

HEAVY = ("torch", "rclpy", "numpy", "scipy", "yourdfpy", "matplotlib", "yaml", "typer")
BUDGET = 0.050


def run(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, check=True
    )


def test_import_takes_under_50_ms():
    # The clock starts in the new process; the best of several runs is what the import itself
    # costs, whatever else the machine is doing.
    code = (
        "import time; start = time.perf_counter(); import generative_ik_ros; "
        "print(time.perf_counter() - start)"
    )
    best = min(float(run(code).stdout) for _ in range(7))
    assert best < BUDGET


def test_import_leaves_heavy_modules_alone():
    run(f"import sys, generative_ik_ros; assert not {set(HEAVY)} & set(sys.modules)")


def test_errors_and_registries_need_no_torch_and_no_ros():
    run(
        "import sys; import generative_ik_ros.errors; "
        "from generative_ik_ros import KinematicChain, IKSolver, SolveStatus; "
        "sys.exit('rclpy' in sys.modules or 'torch' in sys.modules)"
    )


def test_every_public_name_is_imported_on_first_use():
    run(
        "import generative_ik_ros as package\n"
        "missing = [name for name in package.__all__ if not hasattr(package, name)]\n"
        "assert not missing, missing\n"
        "assert {*package._HOMES, '__version__'} == {*package.__all__}\n"
        "assert {'load_robot', 'pose_matrix', 'GenerativeIKWarning'} < {*package.__all__}\n"
        "assert package.load_robot('panda').num_joints == 7"
    )


def test_unknown_name_is_an_attribute_error():
    run(
        "import generative_ik_ros as package\n"
        "try: package.no_such_name\n"
        "except AttributeError as error: assert 'no_such_name' in str(error)\n"
        "else: raise SystemExit('no error')"
    )


def test_a_robot_is_read_and_solved_without_what_reads_other_files():
    code = """
import sys
from generative_ik_ros import IKSolver, load_robot
chain = load_robot("ur10")
assert IKSolver(chain).solve(chain.forward([0.1, -1.0, 1.0, 0.1, 0.1, 0.1])).counts[0]
assert not {"yaml", "zipfile", "tempfile", "difflib"} & set(sys.modules)
"""
    run(code)
