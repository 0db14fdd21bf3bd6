"""What the README tells people to type works, and what it links to is there."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language):
    fenced = [block.partition("\n") for block in README.split("```")[1::2]]
    return [text for name, _, text in fenced if name == language]


def test_python_examples(monkeypatch, tmp_path, capsys):
    example = "\n".join(_blocks("python"))  # each goes on where the one before ended
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(example, "README.md", "exec"), names)
    (promised,) = [block for block in _blocks("") if block.startswith("IKSolutions")]
    # Times and the last digit of a double are the machine's own.
    own = re.compile(r"in [0-9.]+ ms|at most \S+e-1[56] m, \S+e-1[56] rad")
    assert own.sub("", capsys.readouterr().out) == own.sub("", promised)
    assert names["found"].of(0).shape == (100, 7)
    assert names["near"].counts[0] > 0
    assert names["path"].complete


def test_shell_examples(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (block,) = [block for block in _blocks("") if block.startswith("generative-ik")]
    (tmp_path / "examples").symlink_to(ROOT / "examples")  # all that a line may read
    for line in block.splitlines():
        program, *words = shlex.split(line, comments=True)
        assert program == "generative-ik"
        if words[0] in ("evaluate", "train", "view", "reach"):  # these take minutes, or do not end
            words.append("--help")
        assert shell(*words).code == 0, line
    assert (tmp_path / "panda.png").exists()


def test_installation_examples():
    project = (ROOT / "pyproject.toml").read_text()
    lines = [
        line.partition("#")[0].strip() for block in _blocks("") for line in block.splitlines()
    ]
    assert {line for line in lines if line.startswith("make ")} == {"make demo", "make test"}
    numba = re.search(r'"(numba[^"]+)"', project)[1]
    assert f"python3 -m pip install '{numba}'" in lines
    assert numba in (ROOT / ".devcontainer/Dockerfile").read_text()
    for extra in set(re.findall(r"pip install '\.\[(\w+)\]'", README)):
        assert re.search(rf"^{extra} = \[", project, re.MULTILINE), extra
    assert README.index("pip install '.[collision]'") < README.index("CollisionModel.from_urdf(")
    for words in (line.split() for line in lines if line.startswith("ros2 launch")):
        assert (ROOT / "launch" / words[3]).exists()


def test_the_request_of_the_service_call():
    service, _, request = next(b for b in _blocks("") if b.startswith("ros2 service")).partition(
        '"'
    )
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
