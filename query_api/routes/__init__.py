"""Routes, one module per resource.

Belongs here: paths, methods and status codes. Not here: shapes (`*_payloads`, `*_requests`), errors (`problems`).
"""
