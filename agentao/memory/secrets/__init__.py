"""Telling secrets from harmless text: shapes of keys, names beside values, and the values themselves."""
