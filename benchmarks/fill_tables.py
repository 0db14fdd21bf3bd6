"""Writes measured JSON files into the tables of the documentation.

    python benchmarks/fill_tables.py DIR [PROTOCOL...]

DIR has files PROTOCOL-*.json that `generative-ik evaluate PROTOCOL --json` wrote, for all chains
together or one each. Their tables replace what is between the marks of their protocol in
docs/tables/PROTOCOL.md; pictures are drawn into docs/images/PROTOCOL. Nothing is typed by hand.
"""

import io
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

from generative_ik_benchmarks.chains import STANDARD, STANDARD_OF_FOLDER
from generative_ik_benchmarks.protocols.registry import PROTOCOLS, load_protocol
from generative_ik_ros.cli.main import main as generative_ik

_DOCS = Path(__file__).resolve().parent.parent / "docs"
_LABEL = re.compile(r"(\w+)(?:\.urdf)?: [^ |:]+ -> [^ |:,]+")
_ORDER = [chain.partition(":")[0] for chain in (*STANDARD, *STANDARD_OF_FOLDER)]


def tables(folder: Path, protocol: str, docs: Path = _DOCS) -> str:
    """Return the Markdown of a protocol's files, the standard chains first."""
    files = sorted(folder.glob(f"{protocol}-*.json"), key=lambda file: _rank(file, protocol))
    words = ["evaluate", "table", *map(str, files)]
    if load_protocol(protocol).plot is not None:
        words += ["--plot-dir", str(docs / "images" / protocol)]
    with redirect_stdout(io.StringIO()) as out:
        code = generative_ik(words)
    if code == 2:
        sys.exit(f"{protocol}: no tables")
    lines, pictures = [], []
    for line in out.getvalue().splitlines():
        (pictures if line.startswith("wrote ") else lines).append(line)
    if protocol in ("scale", "seeds"):
        lines += ["", *(_picture(line, docs) for line in pictures)]
    return _short("\n".join(lines))


def _picture(wrote: str, docs: Path) -> str:
    """Return the Markdown of a picture of what calls cost, or of what seeds gain."""
    file = Path(wrote.removeprefix("wrote "))
    what = f"What calls cost as {file.stem.removeprefix('scale-')} grow"
    if file.stem.startswith("seeds-"):
        what = "Distinct solutions a millisecond, over those with quasi-random seeds"
    return f"![{what}](../{file.relative_to(docs)})"


def _rank(file: Path, protocol: str) -> tuple[int, str]:
    name = file.stem.removeprefix(f"{protocol}-")
    places = [i for i, robot in enumerate(_ORDER) if name.startswith(robot)]
    return max(places, default=len(_ORDER)), name


def _short(text: str) -> str:
    """Name a chain by its robot alone where the robot has one chain, and squeeze the padding."""
    labels = {match[0]: match[1] for match in _LABEL.finditer(text)}
    for label, robot in labels.items():
        if list(labels.values()).count(robot) == 1:
            text = text.replace(label, robot)
    text = re.sub(r"(?m)^(\|.*)$", lambda row: re.sub(r" {2,}", " ", row[0]), text)
    return re.sub(r"-{4,}", "---", text)


def fill(folder: Path, protocol: str, docs: Path = _DOCS) -> bool:
    """Fill the page of a protocol.

    Returns:
        Whether there were files, and a page with marks to write them into.
    """
    page = docs / "tables" / f"{protocol}.md"
    begin, end = f"<!-- begin {protocol} -->", f"<!-- end {protocol} -->"
    text = page.read_text() if page.exists() else ""
    if not any(folder.glob(f"{protocol}-*.json")) or begin not in text:
        return False
    before, _, rest = text.partition(begin)
    after = rest.partition(end)[2]
    page.write_text(f"{before}{begin}\n{tables(folder, protocol, docs)}\n{end}{after}")
    return True


def main(arguments: list[str]) -> None:
    """Fill the pages."""
    if not arguments:
        sys.exit(__doc__)
    for protocol in arguments[1:] or PROTOCOLS:
        if not fill(Path(arguments[0]), protocol):
            print(f"{protocol}: left as it is")


if __name__ == "__main__":
    main(sys.argv[1:])
