"""Descriptions of HTTP APIs: OpenAPI 3 and Swagger 2, in JSON or YAML (SRC-4).

Belongs here: reading a description, its operations and schemas as text. Not here: fetching one, and a document for each
operation (`headwater.sources.openapi`). Guarantee: the API is not called, and no other file is read.
"""
