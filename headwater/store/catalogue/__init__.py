"""Knowledge bases and their sources, as people create and delete them.

Belongs here: these tables. Not here: what is read from sources. Guarantee: deleted objects are hidden at once.
"""
