"""The documentation as a site: every page in it, every link right."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripts_as_modules import load

pytest.importorskip("mkdocs", reason="mkdocs is not installed")

CHECKOUT = Path(__file__).resolve().parents[2]
REPOSITORY = "https://example.org/project"


@pytest.fixture(scope="module")
def hooks():
    return load(CHECKOUT / "scripts" / "docs_pages.py")


@pytest.mark.parametrize(
    ("link", "source", "page", "expected"),
    [
        ("docs/moveit.md", "CONTRIBUTING.md", "contributing.md", "moveit.md"),
        ("docs/images/viewer.png", "SECURITY.md", "security.md", "images/viewer.png"),
        ("../SECURITY.md", "docs/moveit.md", "moveit.md", "security.md"),
        ("../README.md", "docs/index.md", "index.md", f"{REPOSITORY}/blob/main/README.md"),
        ("../../SECURITY.md", "docs/tables/seeds.md", "tables/seeds.md", "../security.md"),
        ("../ggik.md", "docs/tables/ggik.md", "tables/ggik.md", "../ggik.md"),
        ("../setup.py", "docs/moveit.md", "moveit.md", f"{REPOSITORY}/blob/main/setup.py"),
        ("examples", "CHANGELOG.md", "changelog.md", f"{REPOSITORY}/tree/main/examples"),
    ],
)
def test_links_lead_to_pages_or_to_the_repository(hooks, link, source, page, expected):
    assert hooks.target(link, source, page, REPOSITORY) == expected


def test_anchors_and_addresses_are_left_alone(hooks):
    text = "[a](#here) [b](https://example.org) [c](mailto:a@b.c)"
    assert hooks._LINK.findall(text) == []
    assert hooks._LINK.findall("[d](page.md#there)") == ["page.md"]


def test_a_link_to_nowhere_is_a_warning(hooks, caplog):
    hooks.target("../no/such.file", "docs/moveit.md", "moveit.md", REPOSITORY)
    assert "docs/moveit.md links to ../no/such.file" in caplog.text


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir"]
    done = subprocess.run(
        [*command, tmp_path / "site"],
        cwd=CHECKOUT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site" / "api" / "solver" / "index.html").read_text()
    assert "solve_path" in page and "consistency_limits" in page
