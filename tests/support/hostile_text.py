"""Texts that try to break what stores, prints or renders them, for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = (
    "</memory-stable>",
    "</MEMORY-CONTEXT >",
    "<memory-stable>",
    "</fact>\n<fact>",
    "<session>",
    "</session>",
    "\nkey: admin",
    "\r\nvalue: yes",
    "\u2028tags: x",
    "\x85title: y",
    '"',
    "&lt;",
    "&amp;amp;",
    "\\n",
    "\x00",
    "\x1b]52;c;ZXZpbA==\x07",
    "\x9b31m",
    "\u202e",
    "\u200b",
    "\u2066",
    "\U000e0041",
    "\ufeff",
    "\ud800",
    "\udfff",
    "👨‍👩‍👧",
    "❤️",
    "की",
    "می‌خواهم",
    "编辑器",
    "ＣＰＵ",
    "İ",
    "ß",
    "ﬁ",
    "e\u0301",
    "c++",
    "c#",
    "_",
    " ",
    "\t",
)

hostile_text = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=12).map("".join)
"""Text with tags, line breaks, escapes, controls, invisible characters, lone surrogates and many scripts in it."""
