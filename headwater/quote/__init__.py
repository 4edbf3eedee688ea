"""Quotes: the words of a document that answer a question, chosen without a language model (ANS-4).

Belongs here: the blocks and fragments of passages, choosing among them, writing them as markdown. Not here: finding
passages (`headwater.retrieval`), answers and their events (`headwater.answering`). Guarantee: pure but for the local
model; every word of a quote is the source's.
"""
