"""Found passages into a better order (RET-6).

Belongs here: the rerankers, and how one is chosen by name. Not here: finding passages, boosts, trust. Guarantee: the
same question and passages give the same order.
"""
