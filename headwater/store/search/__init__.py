"""Search indexes: what readers see, and asking them.

Belongs here: entries, weights, statistics, and the statements that search. Not here: the content that they are made of.
Guarantee: a reader sees one state throughout.
"""
