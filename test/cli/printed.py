"""What commands print and write, read as other programs do."""

import csv
import json

import numpy as np


def strict_json(text):
    """Read JSON; NaN and Infinity, which are not JSON, are errors."""

    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def positions(reply):
    """The joint positions (R, n) of JSON lines on standard output, up to the first without any."""
    rows = [strict_json(line)["positions"] for line in reply.out.splitlines()]
    return np.array([list(row.values()) for row in rows if row is not None])


def read_rows(file, names):
    """The columns of a CSV, JSON lines or .npz file by their names, those of joints as one.

    Where there is no number, it is NaN, and where there is no text, "".
    """
    if file.suffix == ".npz":
        with np.load(file) as arrays:
            assert arrays["joint_names"].tolist() == list(names)
            return {name: arrays[name] for name in arrays if name != "joint_names"}
    if file.suffix == ".jsonl":
        none = dict.fromkeys(names)
        rows = [strict_json(line) for line in file.read_text().splitlines()]
        assert all(list(row) == list(rows[0]) for row in rows)
        for row in rows:
            row["positions"] = [(row["positions"] or none)[name] for name in names]
        columns = {key: [row[key] for row in rows] for key in (rows or [{}])[0]}
    else:
        head, *rows = csv.reader(file.read_text().splitlines())
        count = len(head) - len(names)
        assert head[count:] == list(names)
        columns = {key: [row[k] or None for row in rows] for k, key in enumerate(head[:count])}
        columns["positions"] = [[cell or None for cell in row[count:]] for row in rows]
    texts = {"status", "blocked_by"}
    return {
        key: np.array([one or "" for one in column]) if key in texts else np.array(column, float)
        for key, column in columns.items()
    }
