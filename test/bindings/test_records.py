"""Structured arrays that Python and the core read and write alike."""

import numpy as np
import pytest

from generative_ik_ros import _core
from generative_ik_ros.search.records import LANE, RUN, TARGET


@pytest.mark.parametrize(("name", "record"), [("TARGET", TARGET), ("LANE", LANE), ("RUN", RUN)])
def test_fields_are_where_the_core_has_them(name: str, record: np.dtype):
    fields = record.fields
    assert fields is not None
    assert _core.record_fields(name) == [(field, fields[field][1]) for field in fields]


def test_an_unknown_record_is_refused():
    with pytest.raises(ValueError, match="expected TARGET, LANE or RUN, got POSE"):
        _core.record_fields("POSE")
