"""Words and their weights.

Belongs here: splitting text into tokens, and BM25's weights. Not here: stored statistics (`store`), combining words and
vectors (`retrieval`). Guarantee: pure; the same text gives the same tokens on every machine.
"""
