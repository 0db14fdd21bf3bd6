"""Print the exact version of everything that the two packages brought into this environment.

Versions without their local part ("2.13.0", not "2.13.0+cpu"), for every machine. They hold from
Python 3.11 on: numpy and others have left 3.10, where pip chooses for itself.
"""

from importlib.metadata import distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

_OURS = (
    "generative_ik_ros[collision,formats,reach,learned,viewer,test,dev,docs,ros]",
    "generative_ik_benchmarks",
)


def versions(*roots: str) -> dict[str, str]:
    """Return the public versions of all distributions that `roots` need here, by name.

    The roots themselves, and the two packages of this repository, are left out.
    """
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    pending = [Requirement(root) for root in (*roots, "setuptools")]
    while pending:
        requirement = pending.pop()
        name = canonicalize_name(requirement.name)
        installed = distribution(name)
        found[name] = Version(installed.version).public
        for extra in ("", *requirement.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            for line in installed.requires or ():
                needed = Requirement(line)
                if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                    pending.append(needed)
    ours = {canonicalize_name(Requirement(root).name) for root in (*roots, *_OURS)}
    return {name: version for name, version in found.items() if name not in ours}


def main() -> None:
    """Print a constraints file."""
    print("# Exact versions for a reproducible .venv. Written by: make constraints")
    for name, version in sorted(versions(*_OURS).items()):
        print(f'{name}=={version} ; python_version >= "3.11"')


if __name__ == "__main__":
    main()
