"""Videos: the transcript of each one, from a site that yt-dlp knows.

Belongs here: the kind `video`. Not here: yt-dlp itself (`headwater.fetching.ytdlp`), formats of subtitles
(`headwater.parsing.subtitles`).
"""
