# The front door. On a fresh Debian 12 machine `make demo` and `make test` do all set-up themselves.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CTEST_PARALLEL_LEVEL := $(JOBS)

BUILD := build
# The system's own Python: what the package needs and the peers of the benches come as its packages.
PYTHON ?= /usr/bin/python3
export PYTHON

.PHONY: build demo python test test-slow test-package test-sklearn bench bench-build bench-svm bench-machines bench-gp bench-graphs bench-defaults bench-python bench-busy bench-growth bench-strings bench-nodes bench-clusters bench-pca bench-statistics bench-neighbours bench-studio performance results install format clean help web gallery test-web \
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
	@echo "make bench        time Mercer beside its peers; bench-python (whole Python programs), bench-busy (beside busy"
	@echo "                  loops, which it starts and ends), bench-machines, bench-graphs, bench-nodes, bench-clusters, bench-pca, bench-statistics, bench-neighbours, bench-studio (dragging a slider of the page), bench-build (what a newcomer waits for), bench-strings (beside kernlab of R),"
	@echo "                  bench-growth (exponents of every machine), bench-gp (minutes), bench-defaults and bench-svm (an hour); all but the first two take the data"
	@echo "                  sets from the folder MERCER_DATA (bench/sets.py says what it holds)"
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

# With FIGURES=FOLDER a bench also writes its figures there, for `make performance`.
SIMD = $(or $(MERCER_SIMD),$(shell grep -q avx512f /proc/cpuinfo && echo avx512 || echo avx2))
figures = $(if $(FIGURES),--json $(FIGURES)/$(1).$(SIMD).json)

bench: setup
	@scripts/setup.sh bench
	@scripts/build.sh release mercer_bench
	@$(PYTHON) bench/run.py $(BUILD)/mercer_bench $(call figures,engine)

bench-build: setup-test
	@$(PYTHON) bench/build.py $(call figures,build)

bench-machines: setup
	@scripts/setup.sh bench
	@scripts/build.sh release mercer_machines_bench
	@$(PYTHON) bench/machines.py $(BUILD)/mercer_machines_bench $(call figures,machines)

bench-gp: setup
	@scripts/setup.sh bench
	@scripts/build.sh release mercer_gp_bench
	@$(PYTHON) bench/gp.py $(BUILD)/mercer_gp_bench $(call figures,gp)

# MERCER_GRAKEL=PYTHON names a Python that has GraKeL.
bench-graphs: setup
	@scripts/setup.sh bench
	@scripts/build.sh release mercer_graphs_bench
	@$(PYTHON) bench/graphs.py $(BUILD)/mercer_graphs_bench $(call figures,graphs)

bench-defaults: setup
	@scripts/setup.sh bench
	@scripts/build.sh release mercer_cli
	@OPENBLAS_NUM_THREADS=1 $(PYTHON) bench/defaults.py $(BUILD)/mercer

bench-python: python
	@scripts/setup.sh bench
	@PYTHONPATH=$(BUILD)/python $(PYTHON) bench/python.py $(call figures,python)

bench-neighbours: python
	@scripts/setup.sh bench
	@PYTHONPATH=$(BUILD)/python $(PYTHON) bench/neighbours.py $(call figures,neighbours)

bench-studio: setup
	@scripts/build.sh release mercer_cli
	@$(PYTHON) bench/studio.py $(BUILD)/mercer $(call figures,studio)

bench-busy: python
	@scripts/setup.sh bench
	@scripts/build.sh release mercer_cli mercer_pool_bench
	@$(BUILD)/mercer_pool_bench
	@PYTHONPATH=$(BUILD)/python $(PYTHON) bench/busy.py $(BUILD)/mercer $(call figures,busy)

bench-strings: setup
	@scripts/setup.sh bench bench-strings
	@scripts/build.sh release mercer_strings_bench
	@$(PYTHON) bench/strings.py $(BUILD)/mercer_strings_bench $(call figures,strings)

bench-growth: setup
	@scripts/setup.sh bench
	@scripts/build.sh release mercer_cli
	@$(PYTHON) bench/growth.py $(BUILD)/mercer $(call figures,growth)

bench-nodes: setup
	@scripts/setup.sh bench
	@scripts/build.sh release mercer_nodes_bench
	@$(PYTHON) bench/nodes.py $(BUILD)/mercer_nodes_bench $(call figures,nodes)

bench-clusters: python
	@scripts/setup.sh bench
	@scripts/build.sh release mercer_clusters_bench
	@PYTHONPATH=$(BUILD)/python $(PYTHON) bench/clusters.py $(BUILD)/mercer_clusters_bench $(call figures,clusters)

bench-statistics: python
	@scripts/setup.sh bench
	@PYTHONPATH=$(BUILD)/python $(PYTHON) bench/kernel_statistics.py $(call figures,statistics)

bench-pca: python
	@scripts/setup.sh bench
	@PYTHONPATH=$(BUILD)/python $(PYTHON) bench/pca.py $(call figures,pca)

bench-svm: setup
	@scripts/setup.sh bench
	@scripts/build.sh release mercer_svm_bench
	@$(PYTHON) bench/svm.py $(BUILD)/mercer_svm_bench $(call figures,svm)

# Every bench with every instruction set of this CPU (hours), then docs/performance.md.
performance:
	@mkdir -p $(BUILD)/figures
	@for bench in bench bench-machines bench-gp bench-strings bench-graphs bench-nodes bench-clusters bench-pca bench-statistics bench-neighbours bench-growth bench-python bench-busy bench-svm; do \
	  $(MAKE) --no-print-directory $$bench FIGURES=$(BUILD)/figures || exit 1; \
	  [ $(SIMD) != avx512 ] || MERCER_SIMD=avx2 OPENBLAS_CORETYPE=Haswell \
	    $(MAKE) --no-print-directory $$bench FIGURES=$(BUILD)/figures || exit 1; \
	done
	@$(MAKE) --no-print-directory bench-build FIGURES=$(BUILD)/figures
	@$(PYTHON) bench/performance.py $(BUILD)/figures > $(BUILD)/performance.md
	@mv $(BUILD)/performance.md docs/performance.md

results: python
	@scripts/setup.sh bench
	@scripts/build.sh release mercer_cli
	@OPENBLAS_NUM_THREADS=1 PYTHONPATH=$(BUILD)/python $(PYTHON) bench/results.py $(BUILD)/mercer > $(BUILD)/results.md
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
	@scripts/build.sh dev all mercer_headers mercer_benches

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
