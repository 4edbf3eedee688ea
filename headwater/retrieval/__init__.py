"""Questions to passages.

Belongs here: understanding a query, searching, ranking. Not here: SQL (`store`), answers. Guarantee: what is returned
is visible in one state of the index.
"""
