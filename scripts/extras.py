"""Print what extras of pyproject.toml need, for some distribution of ROS 2, a word each.

Usage: scripts/extras.py DISTRIBUTION EXTRA ...

Extras name the packages of Jazzy. Those of later distributions have other names and versions, and
some are gone.
"""

import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    from pip._vendor import tomli as tomllib

GONE = ("ros-jazzy-python-cmake-module",)


def main(distribution: str, *extras: str) -> None:
    """Print the requirements of some extras."""
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
    for requirement in (one for extra in extras for one in _requirements(project, extra)):
        name, _, marker = requirement.partition(";")
        if distribution != "jazzy" and name.startswith("ros-jazzy-"):
            if name.strip() in GONE:
                continue
            name = re.split("[<>=~!]", name)[0].replace("jazzy", distribution, 1)
        print((name + (";" + marker if marker else "")).replace(" ", ""))


def _requirements(project: dict, extra: str) -> list[str]:
    return project["project"]["optional-dependencies"][extra]


if __name__ == "__main__":
    main(*sys.argv[1:])
