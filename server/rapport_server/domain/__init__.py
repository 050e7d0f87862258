"""Pure rules: no IO, the clock is passed in."""
