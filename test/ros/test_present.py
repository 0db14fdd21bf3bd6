"""Says by name why the tests of this folder do not run, where they do not."""

import pytest


def test_ros_and_our_interfaces_are_there(missing):
    if missing:
        pytest.skip(missing)
