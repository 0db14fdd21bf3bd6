"""Ends the process after a while, whatever holds it up.

The middleware may wait without end while a node is destroyed, with the interpreter's lock in its
hands: then no Python code runs any more, a `threading.Timer` included. So the timer is one of the
operating system, whose thread is the C library's.
"""

import ctypes
import os
import threading
import time


class _Event(ctypes.Structure):
    """`struct sigevent` of the C library, 64 bytes."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("rest", ctypes.c_byte * 40),
    )


class _Times(ctypes.Structure):
    """`struct itimerspec`: interval and first time, each in seconds and nanoseconds."""

    _fields_ = (("interval", ctypes.c_long * 2), ("first", ctypes.c_long * 2))


def end_process_after(seconds: float) -> None:
    """End the process with exit code 0 once so much time has passed [s]; nothing stops that."""
    try:
        _start_timer(seconds)
    except (AttributeError, OSError):
        # Another system's C library: what may be held up is better than nothing.
        timer = threading.Timer(seconds, os._exit, (0,))
        timer.daemon = True
        timer.start()


def _start_timer(seconds: float) -> None:
    library, timer = ctypes.CDLL(None, use_errno=True), ctypes.c_void_p()
    # The function's argument is the value: `_exit(0)`.
    end = ctypes.cast(library["_exit"], ctypes.c_void_p).value
    sigev_thread = 2  # of Linux
    event = _Event(None, 0, sigev_thread, end)
    whole = int(seconds)
    first = (ctypes.c_long * 2)(whole, max(1, int(1e9 * (seconds - whole))))
    times = _Times((ctypes.c_long * 2)(0, 0), first)
    failed = library.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer))
    failed = failed or library.timer_settime(timer, 0, ctypes.byref(times), None)
    if failed:
        raise OSError(ctypes.get_errno(), "no timer")
