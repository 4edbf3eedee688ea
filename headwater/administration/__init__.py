"""What people do to knowledge bases and sources, whatever door they come through.

Belongs here: applying a knowledge base's file, checked changes, deleting, tidying up, asking for syncs. Not here: the
doors (`cli`, `query_api`), syncing, searching, answering. Guarantee: every door calls the same functions, so that what
one refuses the others refuse too.
"""
