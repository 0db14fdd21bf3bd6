"""The native core: arrays in, arrays out."""

def version() -> str:
    """Return the core's version, as "0.1.0"."""

def instruction_set() -> str:
    """Return the set of instructions that the lanes use on this processor.

    The widest that it has: "avx512", "avx2", "neon", or "baseline" for what every x86-64 has.
    """
