"""A folder of Python modules in, the imports that the design forbids out."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "generative_ik_ros"

_BASE = {"errors", "solutions", "parallel", "compiled"}
_ROBOT = _BASE | {"robot"}
_PIPELINE = {"pipeline", "request", "space", "search", "path"}
_CORE = _ROBOT | {"graph", "samplers", "refine", "select"} | _PIPELINE
ALLOWED = {
    "errors": set(),
    "parallel": set(),
    "compiled": set(),
    "solutions": {"errors"},
    "robot": _BASE,
    "graph": _ROBOT,
    "samplers": _ROBOT | {"graph"},
    "refine": _ROBOT,
    "select": _ROBOT,
    **dict.fromkeys(_PIPELINE, _CORE),
    "drawing": _ROBOT,
    "self_motion": _ROBOT,
    "plots": _CORE | {"drawing"},
    "viewer": _CORE | {"drawing", "self_motion"},
    "training": _CORE,
    "evaluation": _CORE,
    "cli": _CORE | {"training", "evaluation", "drawing", "plots", "viewer"},
    "moveit": _CORE,
    "ros": _CORE | {"moveit", "drawing", "msg", "srv"},
    "__init__": _CORE,
    "__main__": {"cli"},
}
"""What each part of the package may import of the others, besides itself."""

_ROS_PACKAGE = re.compile(
    r"rclpy|rcl_interfaces|builtin_interfaces|ament_index_python|tf2_.*|.*_msgs"
)
_DOTTED = re.compile(rf"{PACKAGE}(\.\w+)+")


def violations(package: Path) -> list[str]:
    """Check every module below the folder of the package; return one line for each bad import."""
    found = []
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package)
        part = inside.parts[0].removesuffix(".py")
        if part not in ALLOWED:
            found.append(f"{inside}: '{part}' has no place in the import rule")
            continue
        modules = [PACKAGE, *inside.parts[:-1]]
        for line, target in _imports(ast.parse(path.read_text(encoding="utf-8")), modules):
            fault = _fault(part, target)
            if fault is not None:
                found.append(f"{inside}:{line}: {part} must not import {target}{fault}")
    return found


def _fault(part: str, target: str) -> str | None:
    """Say what is wrong with an import; an empty text needs no explanation, None is fine."""
    root, *rest = target.split(".")
    if root != PACKAGE:
        return "" if part != "ros" and _ROS_PACKAGE.fullmatch(root) else None
    if not rest or rest[0] in ("__version__", part):
        return None
    if rest[0] not in ALLOWED and rest[0] not in ("msg", "srv"):
        return ": import it from the module that defines it"
    return None if rest[0] in ALLOWED[part] else ""


def _imports(tree: ast.Module, folder: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the line and the dotted name of everything imported, by whatever form of import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield node.lineno, name.name
        elif isinstance(node, ast.ImportFrom):
            above = folder[: len(folder) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for name in node.names:
                # Of a module only its part matters; of the package itself, the name is the part.
                yield node.lineno, f"{source}.{name.name}" if source == PACKAGE else source
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if _DOTTED.fullmatch(node.value):  # import_module("...") and tables of names for it
                yield node.lineno, node.value
