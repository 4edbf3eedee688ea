"""Understanding a question (RET-3): language, intent, names, code, and what a model adds.

Belongs here: everything that follows from the question alone. Not here: finding and ranking passages. Guarantee: the
rules are pure.
"""
