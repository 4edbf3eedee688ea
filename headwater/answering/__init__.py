"""Passages to answers: evidence, then an answerer, then a record.

Belongs here: choosing evidence, making an answer, citing, refusing, storing. Not here: finding passages.
Guarantee: every marker in an answer has a citation and every citation a marker; a refusal has none.
"""
