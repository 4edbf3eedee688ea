"""Documents, their versions, chunks and vectors: what the chain of a source makes.

Belongs here: these tables. Not here: what search reads. Guarantee: equal content writes nothing.
"""
