"""The peers' BLAS must be one that threads may share. Debian's serial OpenBLAS 0.3.21 hands one buffer to two callers, and
scikit-learn calls it from several threads: its KNeighborsClassifier was wrong in 35 of 100 runs, without Mercer in the
process, and a test would blame Mercer for it. Mercer's own copy of it is linked in and mended.
"""
import pytest
import threadpoolctl

import numpy  # noqa: F401, loads the BLAS that is asked about

for library in threadpoolctl.threadpool_info():
    if library["internal_api"] == "openblas" and library["threading_layer"] == "disabled":
        raise pytest.UsageError(f"NumPy calls the serial OpenBLAS {library['filepath']}, which returns wrong products to several "
                                "threads: install another one (Debian: libopenblas0-pthread)")
