"""The notation of Cosense (Scrapbox) as markdown.

Belongs here: lines of a page, and what stands within a line. Not here: fetching pages (`headwater.sources.cosense`).
Guarantee: pure; any text gives markdown.
"""
