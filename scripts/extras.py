"""Print what extras of pyproject.toml need, for some distribution of ROS 2, a word each.

Usage: scripts/extras.py DISTRIBUTION EXTRA ...

Two more are known by name: `dependencies`, what the package needs itself, and `benchmarks`, what
the benchmarks need besides. Extras name the packages of Jazzy. Those of later distributions have
other names and versions.
"""

import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    from setuptools._vendor import tomli as tomllib

GONE = {"ros-jazzy-python-cmake-module": "ros-jazzy-ament-cmake-ros-core"}
"""Packages that Jazzy's successors do not have, and those that they need instead."""


def main(distribution: str, *extras: str) -> None:
    """Print the requirements of some extras."""
    checkout = Path(__file__).parent.parent
    ours, benchmarks = (
        tomllib.loads((checkout / file).read_text(encoding="utf-8"))["project"]
        for file in ("pyproject.toml", "benchmarks/pyproject.toml")
    )
    needs = ours["optional-dependencies"] | {
        "dependencies": ours["dependencies"],
        "benchmarks": [one for one in benchmarks["dependencies"] if ours["name"] not in one],
    }
    for requirement in (one for extra in extras for one in needs[extra]):
        name, _, marker = str(requirement).partition(";")
        if distribution != "jazzy" and name.startswith("ros-jazzy-"):
            name = re.split("[<>=~!]", GONE.get(name.strip(), name))[0].replace(
                "jazzy", distribution, 1
            )
        print((name + (";" + marker if marker else "")).replace(" ", ""))


if __name__ == "__main__":
    main(*sys.argv[1:])
