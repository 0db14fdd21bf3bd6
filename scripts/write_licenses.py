"""Write docs/licenses.md: what is installed beside the package, under which licence, for what.

It comes from the metadata of what is installed. Run by `make licenses`.
"""

import re
import sys
from importlib.metadata import files, metadata
from pathlib import Path
from typing import Any

from write_constraints import versions

PAGE = Path(__file__).resolve().parents[1] / "docs" / "licenses.md"
SECTIONS = {
    "Always": "generative_ik_ros",
    "ROS 2 from the Python package index": "generative_ik_ros[ros]",
    "Exact collision checks": "generative_ik_ros[collision]",
    "MJCF, xacro files and robot_descriptions": "generative_ik_ros[formats]",
    "Learned samplers": "generative_ik_ros[learned]",
    "Reachability maps in folders and on clusters": "generative_ik_ros[reach]",
    "Web viewer": "generative_ik_ros[viewer]",
    "Benchmarks": "generative_ik_benchmarks",
    "Tests": "generative_ik_ros[test]",
    "Development": "generative_ik_ros[dev]",
    "Documentation": "generative_ik_ros[docs]",
}
"""What is installed for what; a distribution is listed where it is needed first."""
_FOLDERS = {"generative_ik_ros": ".", "generative_ik_benchmarks": "./benchmarks"}

_HEAD = """# Licences of what the package needs

The package itself is under the Apache License 2.0. This list is written by `make licenses` from
the metadata of what is installed, and a test compares it with what is declared. None of these
is part of the package: pip installs them, or a ROS 2 distribution has them. Only the first list is
needed to solve; the second takes the place of a ROS 2 installation; the other ones are optional.
The native module has been compiled with headers of Eigen (MPL-2.0) and pybind11 (BSD-3-Clause).

Weights in the package were trained by the package itself, on poses that it made up, and are under
its own licence. Where the robot descriptions come from is in
[config/robots/README.md](../config/robots/README.md).
"""
_TEXTS = {
    "Permission is hereby granted, free of charge": "MIT",
    "Redistribution and use in source and binary forms": "BSD",
    "Apache License": "Apache-2.0",
    "GNU AFFERO GENERAL PUBLIC": "AGPL",
    "GNU LESSER GENERAL PUBLIC": "LGPL",
    "GNU GENERAL PUBLIC": "GPL",
}
"""What a licence is known by, where only its text is there."""
_CLASSIFIER = re.compile(r"License :: (?:OSI Approved :: )?(.+)")


def licence(data: Any) -> str:  # noqa: ANN401 (a Message, whatever the stubs say)
    """Return a distribution's licence in a few words, from the most exact source it has."""
    if data.get("License-Expression"):
        return data["License-Expression"]
    classified = [
        found[1]
        for line in data.get_all("Classifier") or ()
        if (found := _CLASSIFIER.fullmatch(line)) and found[1] != "OSI Approved"
    ]
    if classified:
        return ", ".join(classified)
    text = " ".join((data.get("License") or "").split())
    if re.fullmatch(r"[\w .,()+-]{2,60}", text):
        return text
    # Some put the whole text there, others only ship it.
    if (xml := Path(sys.prefix, "share", _ros_name(data["Name"]), "package.xml")).is_file():
        return ", ".join(re.findall(r"<license[^>]*>([^<]+)</license>", xml.read_text()))
    shipped = [
        Path(str(file.locate())).read_text(encoding="utf-8", errors="replace")
        for file in files(data["Name"]) or ()
        if re.match(r"(?i)licen[cs]e|copying", file.name)
    ]
    whole = " ".join(" ".join([text, *shipped]).split())
    return next((name for words, name in _TEXTS.items() if words in whole), "not said")


def _ros_name(distribution: str) -> str:
    """Return the ROS package that a distribution holds, or that a meta-package stands for."""
    return re.sub(r"^ros[-_](jazzy[-_])?", "", distribution).replace("-", "_")


def table() -> dict[str, dict[str, str]]:
    """Return the licence of every distribution needed, by the section it is listed in."""
    seen: set[str] = set()
    found: dict[str, dict[str, str]] = {}
    for title, wanted in SECTIONS.items():
        names = set(versions(wanted)) - seen
        seen |= names
        found[title] = {name: licence(metadata(name)) for name in sorted(names)}
    return found


def page() -> str:
    """Return the whole page."""
    parts = [_HEAD]
    for title, licences in table().items():
        package, *extra = SECTIONS[title].partition("[")
        command = f"pip install '{_FOLDERS[package]}{''.join(extra)}'"
        parts.append(f"\n## {title} (`{command}`)\n\n| distribution | licence |\n|---|---|\n")
        parts += [f"| {name} | {text} |\n" for name, text in licences.items()]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
