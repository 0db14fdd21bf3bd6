"""Searches whose random restarts are refined on a device, in PyTorch.

A device is good at one thing in a search: the same iteration for very many seeds at once. So it
does just that. `DeviceSearch` is the compiled search, but the first restarts of all targets
come to it refined (`Device.refined`). To the compiled kernel they are seeds that need no
iteration: it checks limits, full turns, distinctness and collisions, verifies them in double
precision, counts what they say about solutions that are still missing, and goes on where they
did not suffice, with null-space steps, steps towards the seed state and restarts of its own.
What follows, as the order of solutions, statuses and closest approaches, does not know where a
solution came from. So all that a call promises is kept by the code that keeps it without a
device.

Which calls use it is measured, once on a machine (`calls.py`).
"""
