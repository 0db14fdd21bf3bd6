"""Point the CMake exports of ROS wheels in this environment at this interpreter.

The wheels carry the paths of the machine that built them, and CMake refuses include folders and
libraries that do not exist; libraries that the wheels need beside their own, they bring along.
Running this again, or after another wheel was installed, does no harm.
"""

import re
import sys
import sysconfig
from pathlib import Path

_BUILDER = r"/opt/python/cp\d+-cp\d+t?"
_LIBRARY = re.compile(r"(/usr/lib64/[\w.+-]+\.so);")
"""A library of the builder's system in a list of those to link."""


def adopt(text: str, include: str, site_packages: str) -> str:
    """Return the text of a CMake export with its builder's paths replaced by ours."""
    text = re.sub(rf"{_BUILDER}/include/python[\d.]+t?", lambda _: include, text)
    text = re.sub(rf"{_BUILDER}/lib/python[\d.]+t?/site-packages", lambda _: site_packages, text)
    return _LIBRARY.sub(lambda found: found[0] if Path(found[1]).exists() else "", text)


def main() -> None:
    """Rewrite every export under the environment's share folder."""
    paths = sysconfig.get_paths()
    for export in Path(sys.prefix, "share").glob("*/cmake/*.cmake"):
        before = export.read_text()
        after = adopt(before, paths["include"], paths["purelib"])
        if after != before:
            export.write_text(after)


if __name__ == "__main__":
    main()
