"""Documents into chunks.

Belongs here: arithmetic on text spans. Not here: input, output, SQL. Guarantee: pure; `text[chunk.start:chunk.end]`
is the chunk's text, and chunks without their overlap, laid end to end, are the document.
"""
