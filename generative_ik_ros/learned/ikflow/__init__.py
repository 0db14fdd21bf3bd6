"""IKFlow (Ames, Morgan, Konidaris, RA-L 2022, arXiv 2111.08933): a pose in, likely seeds out."""
