"""What pip and colcon install: the robots travel along, and the executables start."""

import importlib.util
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import generative_ik_ros

CHECKOUT = Path(__file__).resolve().parents[2]
EXECUTABLES = Path(sys.prefix, "lib", "generative_ik_ros")


def run(*command: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, away from the checkout, and unpack it."""
    if importlib.util.find_spec("setuptools") is None:
        pytest.skip("setuptools is not installed")
    source, wheels, target = (tmp_path_factory.mktemp(name) for name in ("src", "whl", "site"))
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(CHECKOUT / name, source)
    for name in ("generative_ik_ros", "config"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(CHECKOUT / name, source / name, ignore=ignore)
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels))
    built = run(sys.executable, "-m", "pip", "wheel", *options, str(source))
    assert built.returncode == 0, built.stderr
    (wheel,) = wheels.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(target)
    return target


def test_the_wheel_has_the_package_and_nothing_else(unpacked: Path):
    version = generative_ik_ros.__version__
    top = {path.name for path in unpacked.iterdir()}
    assert top == {"generative_ik_ros", f"generative_ik_ros-{version}.dist-info"}
    sources = (CHECKOUT / "generative_ik_ros").rglob("*.py")
    modules = {path.relative_to(CHECKOUT) for path in sources}
    assert modules == {path.relative_to(unpacked) for path in unpacked.rglob("*.py")}


def test_the_wheel_finds_its_robots(unpacked: Path):
    code = (
        f"import sys; sys.path.insert(0, {str(unpacked)!r}); "
        "from generative_ik_ros.robot.known import robot_names, robot_urdf_path; "
        "print(*robot_names(), robot_urdf_path('panda'))"
    )
    done = run(sys.executable, "-c", code, cwd=unpacked.parent)
    assert done.returncode == 0, done.stderr
    *names, path = done.stdout.split()
    assert {"panda", "ur10"} <= set(names)
    assert Path(path).is_relative_to(unpacked)
    assert (unpacked / "generative_ik_ros" / "config" / "generative_ik.yaml").is_file()


@pytest.mark.skipif(
    not (EXECUTABLES / "generative-ik").exists(), reason="not installed by colcon into this Python"
)
def test_the_installed_command_line_starts(tmp_path: Path):
    done = run(EXECUTABLES / "generative-ik", "--version", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout == f"generative-ik {generative_ik_ros.__version__}\n"


@pytest.mark.skipif(
    not (EXECUTABLES / "generative_ik_node").exists(),
    reason="not installed by colcon into this Python",
)
def test_the_installed_node_refuses_a_bad_parameter(tmp_path: Path):
    done = run(
        EXECUTABLES / "generative_ik_node", "--ros-args", "-p", "timeout:=-1.0", cwd=tmp_path
    )
    assert done.returncode == 2
    assert "timeout" in done.stderr
    assert "Traceback" not in done.stderr


def test_interfaces_and_modules_are_one_package():
    pytest.importorskip("rclpy", reason="ROS 2 is not installed")
    # From the checkout, which has no interfaces, and from elsewhere.
    for folder in (CHECKOUT, CHECKOUT.anchor):
        done = run(
            sys.executable,
            "-c",
            "from generative_ik_ros.srv import GetIKSolutions; import generative_ik_ros.errors; "
            "from rclpy.type_support import check_for_type_support; "
            "check_for_type_support(GetIKSolutions); print(GetIKSolutions.Request().random_seed)",
            cwd=folder,
        )
        assert (done.returncode, done.stdout.strip()) == (0, "0"), done.stderr
