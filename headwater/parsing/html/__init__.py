"""Reading web pages: their main content as markdown (SRC-1).

Belongs here: finding the content, writing it as markdown, metadata, pages within other formats (`fragment`). Not here:
fetching (`headwater.fetching`). Guarantee: the work is bounded by limits in these modules.
"""
