"""Answers that a chat model writes from passages.

Belongs here: the prompt, reading the reply while it comes, markers and their citations. Not here: calling models
(`headwater.models_gateway`), finding passages. Guarantee: nothing of a reply is carried out; it is text.
"""
