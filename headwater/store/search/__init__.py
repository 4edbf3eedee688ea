"""Search indexes: what readers see, and querying them.

Belongs here: entries, weights, statistics, and the statements that search. Not here: the content behind the entries.
Guarantee: a reader sees one state throughout.
"""
