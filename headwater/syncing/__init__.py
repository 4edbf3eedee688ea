"""Bringing a source up to date: documents, chunks, embeddings, publishing, without Dagster.

Belongs here: the work of each stage, their order, and interruptions. Not here: what Dagster is told (`assets`),
connectors, parsers, chunkers, models. Guarantee: equal content writes nothing; killed work resumes where it stopped.
"""
