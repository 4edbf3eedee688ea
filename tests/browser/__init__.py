"""Tests of the pages in a real browser; few and long, because starting one takes a second."""
