"""Target poses in, stored configurations that almost reach them out."""
