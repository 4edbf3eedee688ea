"""How well retrieval finds what it should.

Belongs here: metrics, golden sets, evaluating an index by them. Not here: searching (`headwater.retrieval`), keeping
what came of it (`headwater.store.work.evaluations`). Guarantee: an evaluation searches exactly as a reader does.
"""
