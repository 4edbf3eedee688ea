"""Changes that people make to knowledge bases and sources, by command or over the API.

Belongs here: applying a knowledge base file, checked changes, deleting, housekeeping, requesting syncs. Not here:
command line and API (`cli`, `query_api`), syncing, searching, answering. Guarantee: both call the same functions, so
both refuse the same input.
"""
