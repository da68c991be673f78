# The front door: what there is, and the script that does it. `make help` prints the lines that begin with ##.
# On a fresh Debian 12 machine `make demo` and `make test` do all set-up themselves.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CTEST_PARALLEL_LEVEL := $(JOBS)
# The system's own Python: what the package needs and the peers of the benches come as its packages.
export PYTHON ?= /usr/bin/python3

CHECKS := check-format check-arrows check-alone check-tidy check-simd check-asan check-tsan check-neon
.PHONY: build help setup setup-test setup-check demo python mpi test test-distributed test-slow test-package test-sklearn \
        test-pypi web test-web gallery bench performance results check $(CHECKS) format install clean

## make              build the library and the command (build/mercer)
build: setup
	@scripts/build.sh release

help: ; @sed -n 's/^## //p' Makefile

# What tests compare with must be there before the build looks for it.
setup: ; @scripts/setup.sh build
setup-test: setup ; @scripts/setup.sh test python
setup-check: setup-test ; @scripts/setup.sh check

# Only what the demonstration needs: the tests take longer to compile.
## make demo         build, then run the built-in demonstration; it leaves a model and a forecast in build
demo: setup
	@scripts/build.sh release mercer_cli
	@build/mercer demo -o build

## make python       build the Python package; PYTHONPATH=build/python then finds it (or: pip install .)
python: setup
	@scripts/setup.sh python
	@scripts/build.sh release mercer_python

## make mpi          build mercer-mpi, the command for several processes (docs/scale.md); nothing else needs MPI
mpi: setup
	@scripts/setup.sh mpi
	@cmake --preset release --no-warn-unused-cli -DMERCER_MPI=ON >/dev/null
	@scripts/build.sh release mercer_cli mercer_mpi

## make test-distributed  mercer-mpi under mpirun: 1 to 4 ranks beside one process, ranks that fail or are killed
test-distributed: mpi
	@scripts/test.sh build -L distributed

## make test         build everything, run every test that is not slow
test: setup-test
	@scripts/build.sh release
	@scripts/test.sh build -LE "slow|distributed"

## make test-slow    the slow tests: long fuzzing, large cases
test-slow: setup-test
	@scripts/build.sh release
	@scripts/test.sh build -L slow

## make test-package a source distribution and a wheel, which is installed and used; leaves both in build/package
## make test-sklearn scikit-learn's own tests with Mercer's classes in the place of its own: its newest release, in a
##                   virtual environment outside the tree, or that of the Python named by MERCER_PEERS
## make test-pypi    both; what has passed is kept in python/tests/pypi.txt, to be committed, and .ci/run leaves it out
test-package test-sklearn test-pypi: setup
	@scripts/setup.sh python peers
	@scripts/$@.sh

## make web          build the page of reports and studio anew, web/dist/mercer.html, which is committed (npm, node 20.19)
web: ; @scripts/web.sh build

## make test-web     the page in a browser: unit tests, and every chart and screen in Debian's chromium (npm, minutes)
test-web: setup
	@scripts/setup.sh web
	@scripts/build.sh release mercer_cli
	@scripts/web.sh test

## make gallery      write docs/gallery.html anew: the pictures of the textbooks, to the same bytes on every CPU
gallery: setup
	@scripts/build.sh release mercer_cli
	@scripts/as_on_cpu.sh build scalar build/mercer demo gallery -o docs

## make bench        time Mercer beside its peers; make bench-NAME is another bench, and bench/run.py --list says what each
##                   is: machines large gp svm strings graphs nodes clusters pca statistics neighbours growth python busy
##                   studio build defaults auto. Most take data sets from the folder MERCER_DATA (bench/sets.py says what it holds);
##                   MERCER_PEERS names a Python with peers from PyPI: scikit-learn-intelex, gpytorch
# With FIGURES=FOLDER a bench also writes its figures there.
bench: bench-engine
bench-%: setup
	@scripts/setup.sh bench
	@$(PYTHON) bench/run.py $* $(if $(FIGURES),--figures $(FIGURES))

## make performance  write docs/performance.md anew: every bench with every instruction set of this CPU (hours)
## make results      write docs/results.md anew, from the same data sets (more than an hour)
performance results: setup
	@scripts/setup.sh bench
	@scripts/page.sh $@

# The cheap checks first.
## make check        all that a change must pass: format, arrows, lint, g++ and clang++ without warnings, tests with each
##                   instruction set of this CPU and under the sanitizers, test-web, test-package; parts are check-format
##                   check-arrows check-alone check-tidy check-simd check-asan, and by themselves check-tsan and
##                   check-neon (vector loops for ARM, by an emulator)
check:
	@for part in check-format check-arrows check-alone check-tidy check-simd check-asan test-web test-package; do \
	  $(MAKE) --no-print-directory $$part || exit 1; done; echo "check: all passed"
$(CHECKS): check-%: setup
	@scripts/check.sh $*

## make format       format the sources
format: setup-check ; @scripts/format.sh

## make install      install under PREFIX (default /usr/local)
install: setup
	@scripts/build.sh release mercer mercer_cli mercer_manual
	@cmake --install build --prefix $(PREFIX)

## make clean        remove what was built
clean: ; rm -rf build
## JOBS=N limits the parallel jobs; MERCER_SKIP_SETUP=1 leaves the system's packages alone.
