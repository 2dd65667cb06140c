"""Sieve: small filters that wash the template off collections of plain text."""

__version__ = "0.1.0"
