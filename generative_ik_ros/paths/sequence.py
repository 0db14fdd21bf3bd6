"""Places along a path at which a search looks next: each far from those before."""


def spread(number: int) -> float:
    """Return a number of van der Corput's sequence 1/2, 1/4, 3/4, ...; they count from 1."""
    share, bit = 0.0, 0.5
    while number:
        share += bit * (number & 1)
        number, bit = number >> 1, bit / 2.0
    return share
