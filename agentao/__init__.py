"""A terminal agent shell that remembers."""

__version__ = "0.6.0"
