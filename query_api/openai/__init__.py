"""OpenAI's API over knowledge bases: `/v1/models`, `/v1/chat/completions`, and `/v1/context` (API-3, API-4).

Belongs here: shapes of OpenAI's API, and turning answers into them. Not here: answering (`headwater.answering`),
calling models (`headwater.models_gateway`).
"""
