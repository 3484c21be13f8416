"""The colours of the program: the same ones on every ground, for what the terminal's own green and cyan are is unknown,
and on white they mostly cannot be read. A terminal of sixteen colours takes the nearest of its own. Nothing is said by
colour alone.
"""

GREEN, CYAN, MAGENTA, RED = "color(28)", "color(30)", "color(164)", "color(160)"
"""Numbers of the 256 colours, half way between black and white: contrast 3.8 or more to either."""

GOOD, BAD, NOTE, STRONG, MARK = GREEN, f"bold {RED}", "dim", "bold", "bold underline"
SCOPE_STYLE = {"user": MAGENTA, "project": CYAN}
