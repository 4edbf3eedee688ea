"""Subtitles: cues with times become the text of a transcript, with seconds as places.

Belongs here: the formats of subtitles, and the text made of them. Not here: where they come from (`headwater.sources`).
Guarantee: pure; whatever the bytes are, the result is a text or a `DocumentError`.
"""
