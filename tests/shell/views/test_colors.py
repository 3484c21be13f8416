"""Colours are readable on light and on dark ground."""

from __future__ import annotations

import pytest
from rich.color import Color, ColorSystem

from agentao.shell.views import colors

NAMED = {"green": colors.GREEN, "cyan": colors.CYAN, "magenta": colors.MAGENTA, "red": colors.RED}
CONTRAST_MIN = 3.8


def luminance(color: str) -> float:
    """Relative luminance. Source: WCAG 2.2."""
    red, green, blue = (
        part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in Color.parse(color).get_truecolor()
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("name", NAMED)
def test_a_colour_stands_out_from_black_and_from_white(name: str) -> None:
    """The same colour serves both grounds, and one with sixteen colours gets the one of that name."""
    light = luminance(NAMED[name]) + 0.05
    assert min(light / 0.05, 1.05 / light) >= CONTRAST_MIN
    assert Color.parse(NAMED[name]).downgrade(ColorSystem.STANDARD).number == Color.parse(name).number
