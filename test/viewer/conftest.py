"""A headless Chromium with software rendering."""

import shutil

import pytest

try:
    import viser
except ImportError:
    viser = None
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_SOFTWARE = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


@pytest.fixture(scope="session")
def needs_viser():
    if viser is None:
        pytest.skip("viser not installed")


@pytest.fixture(scope="session")
def browser():
    """Chromium, shared by all tests because it takes seconds to start."""
    if sync_playwright is None:
        pytest.skip("playwright not installed")
    if CHROMIUM is None:
        pytest.skip("chromium not installed")
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", *_SOFTWARE]
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield started
        started.close()
