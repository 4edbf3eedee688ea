"""From questions to passages.

Belongs here: understanding a query, searching, ranking. Not here: SQL (`store`), answers. Guarantee: a result comes
from one state of the index.
"""
