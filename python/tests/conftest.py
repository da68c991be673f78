"""Peers run on one BLAS thread: OpenBLAS 0.3.21, which Debian's NumPy and SciPy call, hands out wrong products beside busy
programs when it has several, and a test would blame Mercer for them. Mercer's own BLAS is another, a serial one.
"""
import os
import sys

import pytest

if "OPENBLAS_NUM_THREADS" not in os.environ:
    if "numpy" in sys.modules:  # which reads it when it is loaded
        raise pytest.UsageError("set OPENBLAS_NUM_THREADS=1: something has loaded NumPy before the tests")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
