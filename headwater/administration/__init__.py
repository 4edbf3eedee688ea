"""What people do to knowledge bases and sources, whatever door they come through.

Belongs here: applying a knowledge base's file, changing, deleting, tidying up. Not here: the doors (`cli`,
`query_api`), syncing. Guarantee: every door calls the same functions.
"""
