"""Target poses in, seeds from a net that distal teaching has trained out."""
