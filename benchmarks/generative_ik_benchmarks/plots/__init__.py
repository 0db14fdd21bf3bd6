"""Matplotlib figures of measurements: plain functions of data that return a figure."""
