"""The checker of the import rule: lists imports that the design forbids, and circles of them."""

import ast
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

PACKAGE = "generative_ik_ros"
BENCHMARKS = "generative_ik_benchmarks"

_BASE = {"_core", "array_types", "errors", "arguments", "solutions"}
_ROBOT = _BASE | {"robot"}
_PIPELINE = {
    "pipeline", "collision_queries", "request", "space", "search", "paths", "tracking"
}  # fmt: skip
_CORE = _ROBOT | {"device", "samplers", "refine", "select", "collision"} | _PIPELINE
ALLOWED = {
    "_core": set(),  # native
    "array_types": set(),
    "errors": set(),
    "arguments": {"array_types", "errors"},
    "solutions": {"array_types", "errors"},
    "device": {"_core", "array_types", "errors"},
    "robot": _BASE,
    "samplers": _ROBOT,
    "refine": _ROBOT,
    "select": _ROBOT,
    "collision": _ROBOT,
    **dict.fromkeys(_PIPELINE, _CORE),
    "tracking": _CORE | {"trajectories"},
    "drawing": _ROBOT | {"collision"},
    "self_motion": _ROBOT,
    "trajectories": _CORE,
    "reach": _CORE | {"self_motion", "drawing"},
    "plots": _CORE | {"drawing", "reach"},
    "viewer": _CORE | {"drawing", "self_motion", "reach"},
    "learned": _CORE,
    "learned/cli": _CORE | {"learned", "cli", "plots"},
    "cli": _CORE | {"drawing", "plots", "moveit", "trajectories", "viewer", "reach"},
    "moveit": _CORE,
    "ros": _CORE | {"moveit", "drawing", "trajectories", "reach", "msg", "srv"},
    "__init__": _CORE | {"trajectories", "reach"},
    "__main__": {"cli"},
}
"""What each part of the package may import of the others, besides itself.

No part may import the benchmarks, and none but itself imports `learned`."""
REGISTRIES = {"samplers/registry.py": "learned", "cli/verbs.py": "learned"}
"""Files that name modules of a part they may not import, so that others find them by name."""

_ROS_PACKAGE = re.compile(
    r"rclpy|rcl_interfaces|builtin_interfaces|ament_index_python|tf2_.*|.*_msgs"
)
_DOTTED = re.compile(rf"({PACKAGE}(?:\.\w+)+|{BENCHMARKS}(?:\.\w+)*)(?::\w+)?")


def violations(package: Path) -> list[str]:
    """Check every module below the folder of the package; return one line for each bad import."""
    found = []
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package)
        part = _part([*inside.parts[:-1], inside.stem])
        if part not in ALLOWED:
            found.append(f"{inside}: '{part}' has no place in the import rule")
            continue
        modules = [PACKAGE, *inside.parts[:-1]]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {REGISTRIES.get(inside.as_posix())}
        found += [
            f"{inside}:{line}: {part} must not import {target}{reason}"
            for found_imports, also in ((_imports(tree, modules), set()), (_names(tree), named))
            for line, target in found_imports
            if (reason := _fault(part, target, also)) is not None
        ]
    return found


def circles(package: Path) -> list[list[str]]:
    """Return the groups of modules that import each other in a loop.

    Imports inside functions and for types only count as well: they tie modules just the same. The
    package's own `__init__.py`, which only hands names on, does not.
    """
    modules = {
        ".".join([PACKAGE, *path.relative_to(package).with_suffix("").parts]): path
        for path in package.rglob("*.py")
        if path.name != "__init__.py"
    }
    imported = {name: _modules_of(path, package, modules) for name, path in modules.items()}
    # What imports nothing that is left is in no loop, nor is what nothing left imports.
    left = set(imported)
    while True:
        used = {other for name in left for other in imported[name]}
        kept = {name for name in left & used if imported[name] & left}
        if kept == left:
            break
        left = kept
    found: list[list[str]] = []
    while left:
        one = min(left)
        loop = {name for name in _reached(one, imported) if one in _reached(name, imported)}
        if loop:
            found.append(sorted(loop))
        left -= loop | {one}
    return found


def _modules_of(path: Path, package: Path, modules: Container[str]) -> set[str]:
    """Return the modules that a file imports, itself aside, among those given."""
    folder = [PACKAGE, *path.relative_to(package).parts[:-1]]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            source = _source(node, folder)
            found |= {source, *(f"{source}.{name.name}" for name in node.names)}
    own = ".".join([*folder, path.stem])
    return {name for name in found if name in modules and name != own}


def _reached(start: str, imported: Mapping[str, set[str]]) -> set[str]:
    """Return all that a module imports, and what that imports, and so on."""
    found: set[str] = set()
    todo = [start]
    while todo:
        new = imported[todo.pop()] - found
        found |= new
        todo += new
    return found


def _part(path: Sequence[str]) -> str:
    """Return the part that a path below the package belongs to: the longest that has a rule."""
    first, *rest = path
    longer = f"{first}/{rest[0]}" if rest else ""
    return longer if longer in ALLOWED else first


def _fault(part: str, target: str, also: Container[str | None]) -> str | None:
    """Say what is wrong with an import; an empty text needs no explanation, None is fine."""
    root, *rest = target.split(".")
    if root == BENCHMARKS:
        return ""
    if root != PACKAGE:
        return "" if part != "ros" and _ROS_PACKAGE.fullmatch(root) else None
    if not rest or rest[0] == "__version__":
        return None
    other = _part(rest)
    if other == part or rest[0] in also:
        return None
    if other not in ALLOWED and other not in ("msg", "srv"):
        return ": import it from the module that defines it"
    return None if other in ALLOWED[part] else ""


def _imports(tree: ast.Module, folder: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the line and the dotted name of everything imported, by whatever form of import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield node.lineno, name.name
        elif isinstance(node, ast.ImportFrom):
            source = _source(node, folder)
            for name in node.names:
                # Of a module only its part matters; of the package itself, the name is the part.
                yield node.lineno, f"{source}.{name.name}" if source == PACKAGE else source


def _source(node: ast.ImportFrom, folder: list[str]) -> str:
    above = folder[: len(folder) - node.level + 1] if node.level else []
    return ".".join([*above, *([node.module] if node.module else [])])


def _names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of every module in a string: import_module and its tables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if match := _DOTTED.fullmatch(node.value):
                yield node.lineno, match[1]
