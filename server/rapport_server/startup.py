"""The error of a start that cannot succeed."""


class StartupError(Exception):
    """The server cannot start as asked.

    Unlike the leaves of `errors`, which travel to clients, the message is for the person at the console: it may name paths,
    flags and variables, and says what to do. `rapport` prints it without a traceback and exits 1.
    """
