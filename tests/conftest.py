"""What holds for every test."""

from __future__ import annotations

import signal

# A runner in the background (`nohup`, `&` in a script) ignores these, and the programs that tests start would inherit
# that: signals sent to them would be lost.
for _number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number == signal.SIGINT else signal.SIG_DFL)
