"""`codebase`: the code, manifests and documentation of a git repository (SRC-5).

Belongs here: the connector, which files of a repository it reads, the web addresses of files. Not here: git
(`headwater.fetching`), languages (`headwater.chunking`). Guarantee: what did not change between two commits is neither
fetched nor read again.
"""
