"""Search indexes side by side: prepared, judged, switched (EMB-2).

Belongs here: when an index may become active, and how thoroughly it is searched. Not here: the statements
(`headwater.store`), filling an index (the assets of a source).
"""
