"""Putting search results into a better order (RET-6).

Belongs here: the rerankers, and choosing one by name. Not here: finding passages, boosts, trust. Guarantee: the
same question and passages give the same order.
"""
