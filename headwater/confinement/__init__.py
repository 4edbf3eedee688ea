"""Processes for code that reads what strangers sent: they can be killed, and reach nothing (SEC-1).

Belongs here: starting them, talking to them, what the kernel lets them do. Not here: what they do (`headwater.parsing`,
`headwater.fetching`). Guarantee: what outside bytes make such code do stays in its process.
"""
