"""setuptools as pip calls it, asking for CMake, ninja and Eigen where the machine has none.

Also finds what CMake needs, and says in one line what is missing.
"""

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from setuptools import build_meta

build_editable = build_meta.build_editable
build_sdist = build_meta.build_sdist
build_wheel = build_meta.build_wheel
get_requires_for_build_sdist = build_meta.get_requires_for_build_sdist
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable
prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel

_CONFIG_FOLDERS = ("share/{}/cmake", "lib/cmake/{}", "share/cmake/{}", "lib/*/cmake/{}")


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:  # noqa: ANN401
    """Return what pip installs into the environment of the build, besides pyproject.toml's."""
    wanted = {
        "cmake": shutil.which("cmake"),
        "ninja": shutil.which("make") or shutil.which("ninja"),
        "cmeel-eigen": config_folder("eigen3", "Eigen3Config.cmake"),
    }
    absent = [package for package, found in wanted.items() if not found]
    return [*build_meta.get_requires_for_build_wheel(config_settings), *absent]


get_requires_for_build_editable = get_requires_for_build_wheel


def config_folder(package: str, file: str) -> Path | None:
    """Return the folder in which a C++ library keeps a file for CMake's find_package."""
    for prefix in _prefixes():
        for pattern in _CONFIG_FOLDERS:
            for folder in prefix.glob(pattern.format(package)):
                if (folder / file).is_file():
                    return folder
    return None


def lasting(folder: Path, copies: Path) -> Path:
    """Return a folder of a C++ library as the next build has it too, with the same times.

    pip installs what a build requires into an environment that it deletes afterwards. From there
    the library is copied; elsewhere it stays where it is.

    Args:
        folder: As `config_folder` found it.
        copies: Where copies are kept.
    """
    if any(folder.is_relative_to(place) for place in (sys.prefix, sys.base_prefix, "/usr")):
        return folder
    prefix = next((prefix for prefix in _wheels() if folder.is_relative_to(prefix)), None)
    if prefix is None:
        return folder
    package = "cmeel-eigen" if prefix.name == "cmeel.prefix" else prefix.name
    copy = copies / f"{package}-{version(package)}"
    if not copy.exists():
        part = copy.with_name(f"{copy.name}.part")
        shutil.copytree(prefix, part, dirs_exist_ok=True)
        part.rename(copy)
    return copy / folder.relative_to(prefix)


def _wheels() -> Iterator[Path]:
    """Yield where Python packages keep the C++ libraries that they bring."""
    for folder in filter(None, sys.path):
        yield Path(folder, "cmeel.prefix")
        yield Path(folder, "pybind11")


def _prefixes() -> Iterator[Path]:
    """Yield where libraries are installed; those of Python packages come before the system's."""
    for folder in filter(None, os.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep)):
        yield Path(folder)
    yield from _wheels()
    yield from (Path(sys.prefix), Path("/usr/local"), Path("/usr"))


def missing_tools() -> str:
    """Return in one line what the build lacks, and how to install it; empty if nothing."""
    compilers = (os.environ.get("CXX", "c++").split()[0], "g++", "clang++")
    headers = sysconfig.get_path("include")
    wanted = {
        ("a C++ compiler", "g++"): any(map(shutil.which, compilers)),
        ("CMake", "cmake"): shutil.which("cmake"),
        ("make", "make"): shutil.which("make") or shutil.which("ninja"),
        ("Eigen", "libeigen3-dev"): config_folder("eigen3", "Eigen3Config.cmake"),
        ("pybind11", "pybind11-dev"): config_folder("pybind11", "pybind11Config.cmake"),
        ("Python's headers", "python3-dev"): Path(headers, "Python.h").is_file(),
    }
    absent = [what for what, found in wanted.items() if not found]
    if not absent:
        return ""
    names, packages = (", ".join(texts) for texts in zip(*absent, strict=True))
    return (
        f"building generative_ik_ros needs {names}: "
        f"sudo apt install {packages.replace(',', '')}, or its like on other systems"
    )
