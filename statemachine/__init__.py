"""The Lisp side of Sieve: where in a document we are, decided by small machines.

Written in Hy. An installed copy has a translation in Python beside each `.hy` file, and
starts without Hy; a checkout has none, so there Hy is what imports the rest.
"""

import os.path

if not os.path.exists(os.path.join(os.path.dirname(__file__), "regions.py")):
    import hy  # noqa: F401
