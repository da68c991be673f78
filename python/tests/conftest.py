"""Peers run on one BLAS thread: OpenBLAS 0.3.21, which Debian's NumPy and SciPy call, hands out wrong products beside busy
programs when it has several, and a test would blame Mercer for them. Its own products are cut into tasks elsewhere.
"""
import os
import sys

assert "numpy" not in sys.modules, "OpenBLAS reads its number of threads when NumPy is loaded"
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
