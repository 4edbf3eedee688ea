"""Summary trees: the summaries of a source's documents, of groups of them, and of the whole.

Belongs here: which texts are summarised together, and the summaries themselves. Not here: when trees are built
(`headwater.syncing`), how they are found (`headwater.retrieval`). Guarantee: a tree depends only on what is below it,
so a summary is paid for once, however often its tree is built (SUM-2).
"""
