"""Number of examples of the property tests, and a summary of what they covered."""

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

EXAMPLES = int(os.environ.get("TRUST_EXAMPLES", "0"))
"""Examples of the long form; 0: the short one, the same examples every time."""

settings.register_profile(
    "trust",
    deadline=None,
    derandomize=not EXAMPLES,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
_tried = Counter()


@pytest.fixture(scope="session")
def tried():
    """Counters of what the tests cover, printed at the end of the session."""
    return _tried


def pytest_terminal_summary(terminalreporter):
    if _tried:
        words = ", ".join(f"{count} {what}" for what, count in sorted(_tried.items()))
        terminalreporter.write_line(f"trust: {words}")
