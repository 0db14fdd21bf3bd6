"""The house style as far as a machine can see it."""

import ast
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDERS = ("generative_ik_ros", "benchmarks/generative_ik_benchmarks", "examples", "scripts")
MODULES = [path for folder in FOLDERS for path in sorted((CHECKOUT / folder).rglob("*.py"))]
MOST_LINES = 350
MOST_FUNCTION_LINES = 60
WORDS = re.compile(
    r"\b(scouts?|walkers?|twins|sliding joints?|turning joints?|joints to spare|contestants?|"
    r"mended|dear)\b",
    re.IGNORECASE,
)
"""Words of our own where the field has one: random restart, null-space step, duplicates,
prismatic and revolute joint, redundant, solver or baseline, fixed, expensive."""


def _name(path):
    return str(path.relative_to(CHECKOUT))


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_functions_and_modules_are_short(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= MOST_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            command = "cli" in path.parts or "typer" in ast.unparse(node.args)
            start = node.body[0].lineno if command else node.lineno
            length = node.end_lineno - start + 1
            assert length <= MOST_FUNCTION_LINES, f"{node.name}: {length} lines"


def test_the_words_are_those_of_the_field():
    pages = [
        path
        for pattern in (
            "*.md",
            "docs/**/*.md",
            "*_plugin/**/*.[ch]pp",
            "servo_node/**/*.[ch]pp",
            "*/*.srv",
            "*/*.msg",
        )
        for path in CHECKOUT.glob(pattern)
    ]
    tests = [
        path for folder in ("test", "benchmarks") for path in CHECKOUT.glob(f"{folder}/**/*.py")
    ]
    found = [
        f"{_name(path)}:{number}: {match[0]}"
        for path in {*MODULES, *pages, *tests} - {Path(__file__).resolve()}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (match := WORDS.search(line))
    ]
    assert not found
