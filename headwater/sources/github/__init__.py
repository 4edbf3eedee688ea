"""Issues, pull requests and discussions of GitHub (SRC-13).

Belongs here: asking GitHub's interfaces, an export of them, writing a thread as a document. Not here: repositories
(`headwater.sources.trees`). Guarantee: requests pass the gate, a token goes only to its own host, and limits that the
server sets are kept.
"""
