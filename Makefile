# The front door. On a fresh Debian 12 machine `make demo` and `make test` do all set-up themselves.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CTEST_PARALLEL_LEVEL := $(JOBS)

BUILD := build
# The system's own Python: what the package needs and the peers of the benches come as its packages.
PYTHON ?= /usr/bin/python3
export PYTHON

.PHONY: build demo python test test-slow test-package test-sklearn bench performance results install format clean help web gallery test-web \
        setup setup-test setup-check \
        check check-simd check-neon check-format check-arrows check-tidy check-dev check-clang check-asan check-tsan

build: setup
	@scripts/build.sh release

help:
	@echo "make              build the library and the command (build/mercer)"
	@echo "make demo         build, then run the built-in demonstration; it leaves a model and a forecast in $(BUILD)"
	@echo "make python       build the Python package; PYTHONPATH=$(BUILD)/python then finds it (or: pip install .)"
	@echo "make test         build everything, run every test that is not slow"
	@echo "make test-slow    the slow tests: long fuzzing, large cases"
	@echo "make test-package what pip makes of the sources: a source distribution, a wheel of it with the tag that auditwheel"
	@echo "                  allows, installed in an empty environment and used there; leaves both in $(BUILD)/package"
	@echo "make web          build the page of reports and of the studio anew, web/dist/mercer.html (npm and node 20.19 or newer);"
	@echo "                  it is part of the sources, so that nothing else needs npm"
	@echo "make test-web     the page in a browser: unit tests, and every chart and screen in Debian's chromium (npm, minutes)"
	@echo "make gallery      write docs/gallery.html anew: the pictures of the textbooks"
	@echo "make test-sklearn scikit-learn's own tests with Mercer's classes in the place of its own: its newest release, in a"
	@echo "                  virtual environment outside the tree, or that of the Python named by MERCER_PEERS"
	@echo "make bench        time Mercer beside its peers; bench-NAME runs another bench, and bench/run.py --list names them;"
	@echo "                  most take the data sets from the folder MERCER_DATA (bench/sets.py says what it holds)"
	@echo "make performance  write docs/performance.md anew: every bench with every instruction set of this CPU (hours)"
	@echo "                  MERCER_PEERS names a Python with peers from PyPI: scikit-learn-intelex, gpytorch"
	@echo "make results      write docs/results.md anew, from the same data sets (more than an hour)"
	@echo "make check        all that a change must pass: format, arrows, lint, g++ and clang++ without warnings,"
	@echo "                  tests with each instruction set of this CPU, tests under the sanitizers; each is also a target:"
	@echo "                  check-format check-arrows check-simd check-tidy check-dev check-clang check-asan, and"
	@echo "                  check-tsan and check-neon (vector loops for ARM, by an emulator), which are extra"
	@echo "make format       format the sources"
	@echo "make install      install under PREFIX (default $(PREFIX))"
	@echo "make clean        remove what was built"
	@echo "JOBS=N limits the parallel jobs; MERCER_SKIP_SETUP=1 leaves the system's packages alone."

setup:
	@scripts/setup.sh build

# Only what the demonstration needs: the tests take longer to compile.
demo: setup
	@scripts/build.sh release mercer_cli
	@$(BUILD)/mercer demo -o $(BUILD)

python: setup
	@scripts/setup.sh python
	@scripts/build.sh release mercer_python

# What the tests compare with must be there before the build looks for it.
setup-test: setup
	@scripts/setup.sh test python

test: setup-test
	@scripts/build.sh release
	@scripts/test.sh $(BUILD) -LE slow

# From PyPI: pip's tools, NumPy, SciPy, scikit-learn.
test-package: setup
	@scripts/setup.sh python peers
	@scripts/test-package.sh

test-slow: setup-test
	@scripts/build.sh release
	@scripts/test.sh $(BUILD) -L slow

test-sklearn: setup
	@scripts/setup.sh python peers
	@scripts/build.sh release mercer mercer_cli
	@scripts/test-sklearn.sh

# bench/run.py has the list and builds what each needs. With FIGURES=FOLDER a bench also writes its figures there.
bench: bench-engine
bench-%: setup
	@scripts/setup.sh bench
	@$(PYTHON) bench/run.py $* $(if $(FIGURES),--figures $(FIGURES))

# Every bench with every instruction set of this CPU (hours), then docs/performance.md.
performance: setup
	@scripts/setup.sh bench
	@$(PYTHON) bench/performance.py $(BUILD)/figures --measure > $(BUILD)/performance.md
	@mv $(BUILD)/performance.md docs/performance.md

results: setup
	@scripts/setup.sh bench
	@$(PYTHON) bench/run.py results > $(BUILD)/results.md
	@mv $(BUILD)/results.md docs/results.md

# The built page is committed: a machine without npm builds all else. A test compares it with its sources.
web:
	@scripts/web.sh build

test-web: setup
	@scripts/setup.sh web
	@scripts/build.sh release mercer_cli
	@scripts/web.sh test

gallery: setup
	@scripts/build.sh release mercer_cli
	@$(BUILD)/mercer demo gallery -o docs

install: setup
	@scripts/build.sh release mercer mercer_cli mercer_manual
	@cmake --install $(BUILD) --prefix $(PREFIX)

# The cheap checks first.
check:
	@$(MAKE) --no-print-directory check-format
	@$(MAKE) --no-print-directory check-arrows
	@$(MAKE) --no-print-directory check-simd
	@$(MAKE) --no-print-directory check-dev
	@$(MAKE) --no-print-directory check-clang
	@$(MAKE) --no-print-directory check-tidy
	@$(MAKE) --no-print-directory check-asan
	@$(MAKE) --no-print-directory test-web
	@$(MAKE) --no-print-directory test-package
	@echo "check: all passed"

setup-check: setup
	@scripts/setup.sh test python check

check-format: setup-check
	@scripts/format.sh --check

check-arrows: setup-check
	@$(PYTHON) scripts/arrows.py

# The tests once for each instruction set that this CPU has.
check-simd: setup-test
	@scripts/build.sh release
	@scripts/test_simd.sh $(BUILD) -LE 'slow|simd'

# Vector loops as on an ARM CPU, by an emulator: packages g++-aarch64-linux-gnu and qemu-user.
check-neon: setup-test
	@scripts/test_neon.sh $(BUILD)

check-tidy: setup-check
	@scripts/tidy.sh

# The sanitizers run this code with the same asserts: here compiling without a warning is enough. Each file alone, every
# public header alone, and the programs of the benches.
check-dev: setup-check
	@scripts/setup.sh bench
	@scripts/build.sh dev all mercer_headers mercer_bench

check-clang: setup-check
	@scripts/build.sh clang
	@scripts/test.sh $(BUILD)/clang -LE slow

check-asan: setup-check
	@scripts/build.sh asan-ubsan
	@scripts/test.sh $(BUILD)/asan-ubsan -LE slow

check-tsan: setup-check
	@scripts/build.sh tsan
	@TSAN_OPTIONS=ignore_noninstrumented_modules=1 scripts/test.sh $(BUILD)/tsan -LE slow

format: setup-check
	@scripts/format.sh

clean:
	rm -rf $(BUILD)
