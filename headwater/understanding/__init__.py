"""What Headwater knows of languages: words, questions, refusals (RET-3).

Belongs here: every list of words and pattern of a language, for search and answers alike. Not here: finding and ranking
passages, choosing quotes. Guarantee: pure; a rule that does not apply changes nothing.
"""
