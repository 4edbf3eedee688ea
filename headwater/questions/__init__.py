"""Questions that documents answer: made of them, checked by search, offered to readers (QST-1).

Belongs here: making questions by rules or by a chat model, keeping those that search answers, choosing some for a
reader. Not here: when they are made (`headwater.syncing`), golden sets (`headwater.evaluation`). Guarantee: a reader is
offered only questions whose own document is among the passages that an answer would use.
"""
