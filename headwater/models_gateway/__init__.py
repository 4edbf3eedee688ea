"""Models behind one door: embedding today, chat and rerank later.

Belongs here: what turns a model's name into something callable. Not here: what to ask it. Guarantee: nothing heavy is
imported before a model is first used.
"""
