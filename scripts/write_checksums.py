"""Write the SHA-256 of every file of weights in the package, as `sha256sum -c` reads them.

Run by `make checksums`, after weights were added or trained anew.
"""

import hashlib

from generative_ik_ros.learned.checkpoint import package_weights

NAME = "SHA256SUMS"


def checksums() -> str:
    """Return one line for each file, in the order of their names."""
    folder = package_weights()
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != NAME)
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n"
        for path in files
    )


def main() -> None:
    """Write the file."""
    (package_weights() / NAME).write_text(checksums(), encoding="utf-8")


if __name__ == "__main__":
    main()
