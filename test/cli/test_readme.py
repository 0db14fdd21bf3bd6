"""What README and docs tell people to type works, and what they link to is there."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SHOWN = ("README.md", "docs/from-python.md")
"""Pages whose Python blocks are scripts, each followed by its output."""
CONTINUED = tuple(
    f"docs/{name}.md" for name in ("few-joints", "goals", "collisions", "paths", "loops")
)
"""Pages whose Python blocks with an output go on where the one before ended."""


def blocks(page):
    """Return the fenced blocks of a page: language and text."""
    fenced = (ROOT / page).read_text(encoding="utf-8").split("```")[1::2]
    return [tuple(block.split("\n", 1)) for block in fenced]


def shell_blocks(page, start=""):
    return [text for name, text in blocks(page) if not name and text.startswith(start)]


def scripts():
    """Return page, code and output of every script that a page shows."""
    for page in SHOWN + CONTINUED:
        listed = blocks(page)
        for (name, code), (following, printed) in zip(listed, listed[1:], strict=False):
            command = printed.startswith(("ros2 ", "generative-ik "))
            if name == "python" and (page in SHOWN or not (following or command)):
                assert not following, f"{page}: no output follows\n{code}"
                yield pytest.param(page, code, printed, id=f"{page}:{code[:40]}")


_NAMES: dict[str, dict[str, object]] = {}


@pytest.mark.parametrize(("page", "code", "printed"), list(scripts()))
@pytest.mark.filterwarnings("ignore::generative_ik_ros.GenerativeIKWarning")
def test_a_script_prints_what_the_page_shows(page, code, printed, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")  # all that a script may read
    names = _NAMES.setdefault(page, {}) if page in CONTINUED else {}
    exec(compile(code, page, "exec"), names)
    # Times and the last digit of a double are the machine's own.
    own = re.compile(r"in [0-9.]+ ms|at most \S+e-1[56] m, \S+e-1[56] rad")
    assert own.sub("", capsys.readouterr().out) == own.sub("", printed)


def test_ten_jobs_and_a_readme_that_is_read_to_its_end():
    jobs = re.findall(r"^## (\d+)\. ", (ROOT / "docs/from-python.md").read_text(), re.MULTILINE)
    assert jobs == [str(k) for k in range(1, 11)]
    assert sum(name == "python" for name, _ in blocks("docs/from-python.md")) == 10
    assert len((ROOT / "README.md").read_text().splitlines()) <= 80


@pytest.mark.parametrize("page", ["README.md", "docs/shell.md"])
def test_shell_examples(page, shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    block = shell_blocks(page, "generative-ik")[0]
    (tmp_path / "examples").symlink_to(ROOT / "examples")  # all that a line may read
    for line in block.splitlines():
        program, *words = shlex.split(line, comments=True)
        if program == "make":
            continue
        assert program == "generative-ik"
        if words[0] in ("evaluate", "train", "view", "reach"):  # these take minutes, or do not end
            words.append("--help")
        assert shell(*words).code == 0, line
    assert {"README.md": "panda.png", "docs/shell.md": "bench.png"}[page] in {
        path.name for path in tmp_path.iterdir()
    }


def test_installation_examples():
    project = (ROOT / "pyproject.toml").read_text()
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    extras = set(re.findall(r"pip install '\.\[(\w+)\]'", page))
    assert len(extras) == 5
    for extra in extras:
        assert re.search(rf"^{extra} = \[", project, re.MULTILINE), extra
    lines = [
        command.partition("#")[0].strip()
        for block in shell_blocks("docs/install.md") + shell_blocks("README.md")
        for line in block.splitlines()
        for command in line.split(" && ")
    ]
    assert {line for line in lines if line.startswith("make ")} == {"make demo", "make test"}
    launched = [line.split() for line in lines if line.startswith("ros2 launch")]
    assert launched and all((ROOT / "launch" / words[3]).exists() for words in launched)


def test_the_request_of_the_service_call():
    (call,) = shell_blocks("docs/install.md", "ros2 service")
    service, _, request = call.partition('"')
    assert service.split()[:3] == ["ros2", "service", "call"]
    file = ROOT / service.split()[4].replace("generative_ik_ros/", "")
    fields, values = (
        file.with_suffix(".srv").read_text(),
        yaml.safe_load(request.rpartition('"')[0]),
    )
    assert values["num_solutions"] == 5 and len(values["targets"]["poses"]) == 1
    assert all(re.search(rf"^[\w/]+ {name}\b", fields, re.MULTILINE) for name in values)


PAGES = [
    page
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/*.md", "examples/*.md", "config/**/*.md")
    for page in sorted(ROOT.glob(pattern))
]


def _anchors(page):
    """The anchors of a page's headings, as GitHub and mkdocs make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text).strip().lower().replace(" ", "-") for text in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in _anchors(target), link
