"""Words and what they weigh.

Belongs here: text into tokens, and BM25's weights. Not here: where statistics are kept (`store`), how words and vectors
are put together (`retrieval`). Guarantee: pure; the same text gives the same tokens on every machine.
"""
