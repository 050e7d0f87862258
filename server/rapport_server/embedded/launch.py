"""Start one program as another account, bound to the life of its parent; run as a script, replaced by the program.

    python -I -S launch.py PARENT_PID UID GID KEEP_SEARCH PROGRAM [ARGUMENT…]

UID and GID -1 keep the account. KEEP_SEARCH 1 leaves the program one capability of root, CAP_DAC_READ_SEARCH: passing and
reading directories that the account may not enter. It is a script of its own because these calls have to happen between fork
and exec, and running Python code there is unsafe in a process with threads; util-linux' `setpriv` is not in every image.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

CAP_DAC_READ_SEARCH = 2
_CAPABILITY_VERSION_3 = 0x20080522
_PR_SET_PDEATHSIG = 1
_PR_SET_KEEPCAPS = 8
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_RAISE = 2


def main(arguments: Sequence[str]) -> None:
    """Become the program; does not return."""
    parent, uid, gid, keep_search = (int(value) for value in arguments[:4])
    program = list(arguments[4:])
    linux = sys.platform == "linux"
    if uid >= 0:
        _become(uid, gid, keep_search=bool(keep_search) and linux)
    if linux:
        # Set last: the kernel clears it whenever the credentials change. SIGINT is Postgres' fast, clean shutdown.
        _prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() != parent:
            sys.exit("the process that started this one is gone")
    os.execv(program[0], program)  # noqa: S606 - replacing this script is the point, no shell wanted


def _become(uid: int, gid: int, *, keep_search: bool) -> None:
    if keep_search:
        _prctl(_PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    if keep_search:
        _set_capabilities(1 << CAP_DAC_READ_SEARCH)
        _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH)


def _prctl(option: int, *values: int) -> None:
    padded = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, *padded) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option})")


def _set_capabilities(mask: int) -> None:
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    # Two blocks of (effective, permitted, inheritable), capabilities 0–31 and 32–63.
    data = (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capset(header, data) != 0:
        raise OSError(ctypes.get_errno(), "capset")


if __name__ == "__main__":
    main(sys.argv[1:])
