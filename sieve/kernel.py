"""Which implementation of the hot loops is in use: the compiled kernel or plain Python.

Both give the same bytes. The kernel is there if a compiler was when Sieve was installed, and with
SIEVE_KERNEL=python in the environment it is left alone.
"""

import os


def _load():
    if os.environ.get("SIEVE_KERNEL") != "python":
        try:
            from sieve import _kernel

            return _kernel
        except ImportError:
            pass
    return None


compiled = _load()  # the extension module, or None
NAME = "compiled kernel" if compiled else "plain Python"
