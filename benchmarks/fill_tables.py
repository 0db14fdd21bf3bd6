"""A folder of measured JSON files comes in, the tables of docs/benchmarks.md go out.

    python scripts/fill_benchmarks.py DIR [PROTOCOL...]

DIR has files PROTOCOL-*.json that `generative-ik evaluate PROTOCOL --json` wrote, for all chains
together or one each; their tables replace what is between the marks of their protocol in the
page. Pictures of seed-value, scale and seeds are drawn into docs/images. Nothing is typed by hand.
"""

import io
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

from generative_ik_benchmarks.chains import STANDARD
from generative_ik_benchmarks.stored import TABLES
from generative_ik_ros.cli.main import main as generative_ik

_DOCS = Path(__file__).resolve().parent.parent / "docs"
_LABEL = re.compile(r"([\w.]+)\.urdf: [^ |:]+ -> [^ |:]+")
_ORDER = [chain.partition(":")[0] for chain in STANDARD]


def tables(folder: Path, protocol: str) -> str:
    """Return the Markdown of a protocol's files, in the order of the standard chains."""
    files = sorted(folder.glob(f"{protocol}-*.json"), key=lambda file: _rank(file, protocol))
    words = ["evaluate", "table", *map(str, files)]
    if protocol in ("seed-value", "scale", "seeds"):
        words += ["--plot-dir", str(_DOCS / "images" / protocol)]
    with redirect_stdout(io.StringIO()) as out:
        code = generative_ik(words)
    if code == 2:
        sys.exit(f"{protocol}: no tables")
    lines, pictures = [], []
    for line in out.getvalue().splitlines():
        (pictures if line.startswith("wrote ") else lines).append(line)
    if protocol in ("scale", "seeds"):
        lines += ["", *map(_picture, pictures)]
    return _short("\n".join(lines))


def _picture(wrote: str) -> str:
    """Return the Markdown of a picture of what calls cost, or of what seeds gain."""
    file = Path(wrote.removeprefix("wrote "))
    what = f"What calls cost as {file.stem.removeprefix('scale-')} grow"
    if file.stem.startswith("seeds-"):
        what = "Distinct solutions a millisecond, times those with quasi-random seeds"
    return f"![{what}]({file.relative_to(_DOCS)})"


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


def main(arguments: list[str]) -> None:
    """Fill the page."""
    if not arguments:
        sys.exit(__doc__)
    folder, wanted = Path(arguments[0]), arguments[1:] or list(TABLES)
    page = _DOCS / "benchmarks.md"
    text = page.read_text()
    for protocol in wanted:
        begin, end = f"<!-- begin {protocol} -->", f"<!-- end {protocol} -->"
        if not any(folder.glob(f"{protocol}-*.json")) or begin not in text:
            print(f"{protocol}: left as it is")
            continue
        before, _, rest = text.partition(begin)
        after = rest.partition(end)[2]
        text = f"{before}{begin}\n{tables(folder, protocol)}\n{end}{after}"
    page.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])
