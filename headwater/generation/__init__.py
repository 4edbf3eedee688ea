"""Answers that a chat model writes: what it is sent, and what becomes of its reply.

Belongs here: the messages, the sources in them, how many a model can read in time, reading the reply, its citations.
Not here: calling models (`headwater.models_gateway`), finding passages, the events of an answer
(`headwater.answering`). Guarantee: nothing of a reply is carried out; it is text. Every citation is of a source that
the model was given.
"""
