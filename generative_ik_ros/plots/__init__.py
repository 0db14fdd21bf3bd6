"""Pictures for papers and the command line: plain functions of data, each returns a figure."""
