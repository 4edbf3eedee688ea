"""Passages to answers.

Belongs here: choosing evidence, citing it, refusing. Not here: finding passages. Guarantee: every marker in an answer
has a citation and every citation a marker; a refusal has none.
"""
