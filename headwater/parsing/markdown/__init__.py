"""Parsing markdown and MDX, and writing markdown from other formats.

Belongs here: the parsers, and what reads or writes one kind of markup in it. Not here: splitting into chunks
(`headwater.chunking`). Guarantee: pure; no input or output.
"""
