"""`website`: a page, a site, a sitemap or a feed (SRC-1).

Belongs here: the connector, the frontier, robots.txt, what is kept between syncs. Not here: HTTP
(`headwater.fetching`), HTML (`headwater.parsing.html`). Guarantee: a page that cannot be fetched keeps its last
version.
"""
