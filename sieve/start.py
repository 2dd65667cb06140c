"""Imported first by every program: a reader that goes away and Ctrl-C end it as they end
`cat`, silently and by signal, from here on and so while the rest is still being imported."""

import signal

signal.signal(signal.SIGPIPE, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # and not ignored, as in the background
    signal.signal(signal.SIGINT, signal.SIG_DFL)
