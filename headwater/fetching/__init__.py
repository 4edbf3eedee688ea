"""Access to other machines: the gate, HTTP, git, and the credentials for them.

Belongs here: fetching content safely. Not here: the meaning of the content (`sources`, `parsing`). Guarantee: nothing
is fetched that the gate refuses, and a credential is sent to its own host, and to no other.
"""
