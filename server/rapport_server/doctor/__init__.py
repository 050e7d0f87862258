"""`rapport doctor`: looks at everything a server needs and says what to do, changing nothing."""
