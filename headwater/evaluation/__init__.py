"""Measuring how well retrieval finds the right documents.

Belongs here: metrics, golden sets, evaluating an index. Not here: searching (`headwater.retrieval`), storing
the results (`headwater.store.work.evaluations`). Guarantee: an evaluation searches exactly as a reader does.
"""
