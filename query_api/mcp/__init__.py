"""MCP: tools for programs with a language model, such as Claude Desktop and editors (API-7).

Belongs here: the protocol, and the tools. Not here: searching and answering (`headwater`). Guarantee: every tool only
reads; what it returns fits into a model's context.
"""
