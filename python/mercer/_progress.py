"""Progress of long fits: a bar where one is asked for, and the user's own callback."""
from __future__ import annotations

import sys

import numpy as np


class _Bar:
    """tqdm's where it is installed, else a line that is written over."""

    def __init__(self, title):
        self._title = title
        self._stage = None
        self._bar = None
        self._line = 0
        try:
            from tqdm.auto import tqdm

            self._tqdm = tqdm
        except ImportError:
            self._tqdm = None

    def update(self, stage, fraction):
        if stage != self._stage:
            self.close()
            self._stage = stage
            if self._tqdm is not None:
                self._bar = self._tqdm(total=100, desc=self._name(stage), leave=False, mininterval=0,
                                       bar_format="{desc} {percentage:3.0f} %|{bar}| {elapsed}")
        if self._bar is not None:
            self._bar.update(100 * fraction - self._bar.n)
            return
        filled = int(30 * fraction)
        line = f"{self._name(stage)} [{'#' * filled}{'.' * (30 - filled)}] {100 * fraction:3.0f} %"
        sys.stderr.write("\r" + line.ljust(self._line))
        sys.stderr.flush()
        self._line = len(line)

    def _name(self, stage):
        """The stage, unless the machine's name says no more than the title."""
        more = stage.partition(": ")[2]
        return f"{self._title}: {more}" if more else self._title

    def close(self):
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        elif self._line:
            sys.stderr.write("\n")
            sys.stderr.flush()
            self._line = 0


class Listener:
    """What the core calls ten times a second at most. `close` ends the bar."""

    def __init__(self, title, verbose, callback):
        self._bar = _Bar(title) if verbose else None
        self._callback = callback

    def __call__(self, stage, fraction):
        """False stops the fit; everything else lets it go on."""
        if self._bar is not None:
            self._bar.update(stage, fraction)
        if self._callback is None:
            return None
        answer = self._callback(stage, fraction)
        return False if isinstance(answer, (bool, np.bool_)) and not answer else None

    def close(self):
        if self._bar is not None:
            self._bar.close()


def callback_of(estimator):
    """The listener that `verbose` and `callback` of an estimator ask for; None when nobody listens."""
    verbose = getattr(estimator, "verbose", 0)
    callback = getattr(estimator, "callback", None)
    if callback is not None and not callable(callback):
        raise TypeError(f"callback: a function of (stage, fraction) is needed, not {type(callback).__name__}")
    return Listener(type(estimator).__name__, verbose, callback) if verbose or callback is not None else None
