"""Attacks that must not get through (SEC-1)."""
