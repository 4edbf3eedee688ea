"""Documents, their versions, chunks and vectors: the results of a source's stages.

Belongs here: these tables. Not here: the tables that search reads. Guarantee: equal content writes nothing.
"""
