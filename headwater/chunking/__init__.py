"""Splitting documents into chunks.

Belongs here: arithmetic on text spans. Not here: input, output, SQL. Guarantee: pure; `text[chunk.start:chunk.end]`
is the chunk's text, and the chunks without their overlaps, joined, are the document.
"""
