"""Bringing a source up to date: documents, chunks, embeddings, publishing, without Dagster.

Belongs here: what each stage does, in which order, and what interrupts it. Not here: what Dagster is told (`assets`),
connectors, parsers, chunkers, models. Guarantee: equal content writes nothing; whatever is killed goes on where it was.
"""
