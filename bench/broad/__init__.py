"""Broad questions, and what a right answer to each contains (SUM-4)."""
