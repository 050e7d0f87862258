"""The console script `rapport`, and `python -m rapport_server`."""

import sys

OWN_PACKAGES = ("rapport", "rapport_server")


def main() -> int:
    """Run the command line; with the SDK alone installed, say what is missing. Answers the exit code."""
    try:
        from rapport_server import cli

        cli.main()
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in OWN_PACKAGES:
            raise
        command = " ".join(["rapport", *(word for word in sys.argv[1:2] if word.isalpha())])
        hint = f"`{command}` needs the server extra: pip install 'rapport-memory[server]'\n"
        sys.stderr.write(hint)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
