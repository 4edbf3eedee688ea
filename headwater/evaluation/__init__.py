"""Measuring how well retrieval finds the right documents, and how good answers are.

Belongs here: metrics, golden sets, evaluating, comparing and tuning settings. Not here: searching
(`headwater.retrieval`), answering (`headwater.answering`), storing the results (`headwater.store.work.evaluations`).
Guarantee: an evaluation searches and asks exactly as a reader does.
"""
