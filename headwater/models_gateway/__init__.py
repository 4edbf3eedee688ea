"""One interface for models: embedding, reranking and chat.

Belongs here: turning a model's name into something callable. Not here: what to ask it. Guarantee: nothing heavy is
imported before a model is first used.
"""
