"""OpenAPI: the operations that the description of an HTTP API lists.

Belongs here: the kind `openapi`. Not here: the API itself, which is never called. Guarantee: only the description is
fetched; what it refers to elsewhere is not.
"""
