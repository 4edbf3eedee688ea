"""What leaves the machine: repositories that are fetched, and the credentials that they want.

Belongs here: asking others for content, safely. Not here: what the content means (`sources`, `parsing`). Guarantee: a
credential is shown to the host it belongs to, and to no other.
"""
