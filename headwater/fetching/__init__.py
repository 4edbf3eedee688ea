"""Access to other machines: fetching repositories, and the credentials for them.

Belongs here: fetching content safely. Not here: the meaning of the content (`sources`, `parsing`). Guarantee: a
credential is sent to its own host, and to no other.
"""
