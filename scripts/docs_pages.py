"""Hooks of mkdocs: pages from the top of the repository, and links out of docs/.

Pages are written for readers of the repository, with links to its files. On the site a link to a
file that is no page leads to the repository.
"""

import logging
import os
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

CHECKOUT = Path(__file__).resolve().parents[1]
TOP_PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Files at the top of the repository that are pages, and their names on the site."""

_LOG = logging.getLogger("mkdocs.hooks")
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie outside docs/."""
    for source, name in TOP_PAGES.items():
        files.append(File.generated(config, name, abs_src_path=str(CHECKOUT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links at pages of the site, or at the repository."""
    here = page.file.src_uri
    source = next((top for top, name in TOP_PAGES.items() if name == here), f"docs/{here}")
    return _LINK.sub(lambda link: target(link[1], source, here, config.repo_url or ""), markdown)


def target(link: str, source: str, page: str, repository: str) -> str:
    """Return where a link leads on the site.

    Args:
        link: A relative link in a file.
        source: The file's path in the repository.
        page: The file's path on the site.
        repository: Address of the repository.
    """
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
    if path.startswith("docs/") or path in TOP_PAGES:
        on_site = TOP_PAGES.get(path, path.removeprefix("docs/"))
        return posixpath.relpath(on_site, posixpath.dirname(page))
    if not (CHECKOUT / path).exists():
        _LOG.warning("%s links to %s, which does not exist", source, link)
    kind = "tree" if os.path.isdir(CHECKOUT / path) else "blob"
    return f"{repository}/{kind}/main/{path}"
