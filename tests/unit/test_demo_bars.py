"""How the demo draws the four variables."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from rapport_server.demo.bars import ROWS, curves, levels
from rapport_server.demo.player import VARIABLES, Point, State

START = datetime(2025, 3, 3, 12, tzinfo=UTC)  # a Monday
LONDON = ZoneInfo("Europe/London")


def point(day: float, grudge: float = 0.0, event: str = "") -> Point:
    return Point(START + timedelta(days=day), State(0.5, 0.5, grudge, 0.1), event)


def drawn(points: list[Point], name: str, width: int = 100) -> list[str]:
    """The rows of one curve, top first, without the label."""
    lines = [line.plain for line in curves(points, LONDON, width)]
    top = next(place for place, line in enumerate(lines) if line.startswith(name))
    return [line.partition("▕")[2] for line in lines[top : top + ROWS]]


def test_levels_show_values_changes_and_bars_of_the_right_length() -> None:
    (line,) = levels(State(0.3, 0.5, 0.2, 0.1), State(0.31, 0.5, 1.0, 0.105), 99)
    assert line.plain.startswith("trust ━╸─── 0.31 +.01")
    assert "sentiment ━━╸── 0.50  =  " in line.plain
    assert "grudge ━━━━━ 1.00 +.80" in line.plain


def test_a_loss_of_trust_is_written_with_a_minus() -> None:
    (line,) = levels(State(0.3, 0.5, 0.0, 0.1), State(0.28, 0.5, 0.0, 0.1), 99)
    assert "0.28 −.02" in line.plain


def test_levels_never_pass_the_width_and_break_between_variables() -> None:
    lines = levels(State(0.3, 0.5, 0.2, 0.1), State(0.31, 0.6, 1.0, 0.105), 60)
    assert len(lines) == 2
    assert all(line.cell_len <= 60 for line in lines)


def test_a_grudge_stands_at_its_peak_and_halves_in_the_next_half_day() -> None:
    rows = drawn([point(0), point(1, grudge=1.0), point(7)], "grudge")
    heights = [sum(row[cell : cell + 1] == "█" for row in rows) for cell in range(len(rows[0]))]
    peak = heights.index(max(heights))
    assert heights[peak] == ROWS
    half_a_day = (len(rows[0]) // 8) // 2
    assert heights[peak + half_a_day] == ROWS // 2
    assert heights[-1] == 0


def test_every_curve_has_a_scale_from_0_to_1() -> None:
    lines = [line.plain for line in curves([point(0), point(41)], LONDON, 79)]
    for name in VARIABLES:
        top = next(place for place, line in enumerate(lines) if line.startswith(name))
        assert [line.partition("▕")[0][-2:] for line in lines[top : top + ROWS]] == [
            " 1",
            "  ",
            "  ",
            " 0",
        ]


def test_marks_that_would_touch_are_put_below_each_other() -> None:
    broken, kept = "RELATION_EVENT_KIND_BROKEN_PROMISE", "RELATION_EVENT_KIND_KEPT_PROMISE"
    points = [point(0), point(22, event=broken), point(32, event=kept), point(41)]
    near = [line.plain for line in curves(points, LONDON, 79)]
    assert near[-2].strip() == "✗ promise broken"
    assert near[-1].strip() == "✓ promise kept"
    assert near[-1].index("✓") - near[-2].index("✗") == 10
    apart = [line.plain for line in curves(points, LONDON, 140)]
    assert apart[-1].split() == ["✗", "promise", "broken", "✓", "promise", "kept"]


def test_curves_fit_the_width_and_mark_weeks_and_events() -> None:
    points = [point(0), point(2, event="RELATION_EVENT_KIND_BROKEN_PROMISE"), point(41)]
    lines = [line.plain for line in curves(points, LONDON, 99)]
    assert max(map(len, lines)) <= 99
    assert "╵10 Mar" in lines[-2]
    assert "✗ promise broken" in lines[-1]
