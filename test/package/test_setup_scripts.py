"""The scripts that make setup runs do their part, and only that."""

import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from scripts_as_modules import load

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def backend() -> ModuleType:
    return load(CHECKOUT / "bindings" / "build_backend.py")


def test_a_missing_python_is_said_plainly(tmp_path: Path):
    done = subprocess.run(
        [CHECKOUT / "scripts" / "make_environment", tmp_path / "venv"],
        env={"PATH": "/usr/bin:/bin", "PYTHON": "no-such-python"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "Python 3.10 to 3.14" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_only_what_the_machine_lacks_comes_from_the_package_index(
    backend: ModuleType, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(backend.build_meta, "get_requires_for_build_wheel", lambda _: ["wanted"])
    monkeypatch.setattr(backend.shutil, "which", lambda tool: f"bin/{tool}")
    monkeypatch.setattr(backend, "config_folder", lambda package, file: Path(package, file))
    assert backend.get_requires_for_build_wheel() == ["wanted"]
    monkeypatch.setattr(backend.shutil, "which", {"make": "bin/make"}.get)
    monkeypatch.setattr(backend, "config_folder", lambda package, file: None)
    assert backend.get_requires_for_build_wheel() == ["wanted", "cmake", "cmeel-eigen"]
    said = backend.missing_tools()
    assert "needs a C++ compiler, CMake, Eigen, pybind11: sudo apt install g++ cmake lib" in said


def test_libraries_of_python_packages_come_before_those_of_the_system(
    backend: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(backend.sys, "prefix", str(tmp_path / "environment"))
    monkeypatch.setattr(backend.sys, "path", [str(tmp_path / "site")])
    monkeypatch.delenv("CMAKE_PREFIX_PATH", raising=False)
    for folder in ("environment/lib/x/cmake/ours", "site/cmeel.prefix/share/ours/cmake"):
        (tmp_path / folder).mkdir(parents=True)
        assert backend.config_folder("ours", "OursConfig.cmake") != tmp_path / folder
        (tmp_path / folder / "OursConfig.cmake").touch()
        assert backend.config_folder("ours", "OursConfig.cmake") == tmp_path / folder


def test_a_second_build_finds_the_libraries_of_the_first_unchanged(
    backend: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(backend, "version", {"cmeel-eigen": "3.4.1"}.__getitem__)
    files = []
    for build in ("first", "second"):  # Each has an environment of its own.
        prefix = tmp_path / build / "site" / "cmeel.prefix"
        (prefix / "share/eigen3/cmake").mkdir(parents=True)
        (prefix / "share/eigen3/cmake/Eigen3Config.cmake").touch()
        monkeypatch.setattr(backend.sys, "path", [str(tmp_path / build / "site")])
        found = backend.config_folder("eigen3", "Eigen3Config.cmake")
        assert found is not None and found.is_relative_to(prefix)
        files.append(backend.lasting(found, tmp_path / "copies") / "Eigen3Config.cmake")
    assert files[0] == files[1] and files[0].is_file()
    assert files[0].is_relative_to(tmp_path / "copies" / "cmeel-eigen-3.4.1")
    monkeypatch.setattr(backend.sys, "prefix", str(tmp_path / "second"))
    assert backend.lasting(found, tmp_path / "copies") == found
