#!/usr/bin/env python3
"""mpi_test.py BUILD MPIRUN: mercer-mpi under mpirun, beside mercer in one process. Every run has a time limit."""
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD, MPIRUN = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else "mpirun"
MERCER, MERCER_MPI = str(BUILD / "mercer"), str(BUILD / "mercer-mpi")
# More ranks than cores, each with a thread; root runs tests, too.
ENV = {**os.environ, "MERCER_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
SECONDS = 300


def run(words, **more):
    return subprocess.run(words, env=ENV, capture_output=True, text=True, timeout=SECONDS, **more)


def mpi(ranks, *words, **more):
    return run([MPIRUN, "-n", str(ranks), MERCER_MPI, *words], **more)


def table(first, end):
    rows = ["a,b,c,y,g"]
    for i in range(first, end):
        a, b = math.sin(1.7 * i), 100 + 30 * math.cos(0.3 * i * i)
        rows.append(f"{a!r},{b!r},{i % 11},{a * (i % 11)!r},{1 if a * (i % 11) > 2 else 2 if b > 100 else 3}")
    return "\n".join(rows) + "\n"


class MpiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.at = pathlib.Path(cls.folder.name)
        for part, (first, end) in enumerate([(0, 17), (17, 6000), (6000, 9500)], 1):
            (cls.at / f"part-{part}.csv").write_text(table(first, end))
        cls.data = str(cls.at / "part-*.csv")

    def path(self, name):
        return str(self.at / name)

    def predictions(self, model):
        done = run([MERCER, "predict", model, self.path("part-3.csv"), "--scores"])
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, done, *words, code=None):
        self.assertNotEqual(done.returncode, 0, done.stdout)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("mercer:")]
        self.assertEqual(len(lines), 1, done.stderr)
        for word in words:
            self.assertIn(word, lines[0])

    def test_models_are_those_of_one_process(self):
        common = ["--kernel", "rbf(ell=1.5)", "--centres", "60"]
        for name, words in {"falkon": ["ridge", "--target", "y", "--ridge", "0.1", "--solver", "falkon"],
                            "normal": ["ridge", "--target", "y", "--weights", "c"],
                            "logistic": ["logistic", "--target", "g"],
                            "codes": ["ridge_classifier", "--target", "g", "--ridge", "0.1"]}.items():
            machine, *words = words
            words = [machine, self.data, *words, *common, "--plain"]
            alone = self.path("alone.mercer")
            done = run([MERCER, "fit", *words, "-o", alone])
            self.assertEqual(done.returncode, 0, done.stderr)
            for ranks in (1, 2, 3, 4):
                with self.subTest(name=name, ranks=ranks):
                    model = self.path("shared.mercer")
                    shared = mpi(ranks, "fit", *words, "-o", model)
                    self.assertEqual(shared.returncode, 0, shared.stderr)
                    if ranks > 1:
                        self.assertEqual(shared.stderr.count(f"{ranks} processes share the rows"), 1, shared.stderr)
                    self.assertEqual(self.predictions(model), self.predictions(alone))

    def test_what_is_chosen_is_chosen_alike(self):
        words = ["fit", "ridge", self.path("part-2.csv"), "--target", "y", "--centres", "auto"]
        done = run([MERCER, *words, "-o", self.path("a.mercer")])
        self.assertEqual(done.returncode, 0, done.stderr)
        shared = mpi(3, *words, "-o", self.path("b.mercer"), "--json")
        self.assertEqual(shared.returncode, 0, shared.stderr)
        json.loads(shared.stdout)  # one rank speaks
        self.assertEqual(self.predictions(self.path("a.mercer")), self.predictions(self.path("b.mercer")))

    def test_files_are_predicted_by_those_they_are_dealt_to(self):
        model = self.path("p.mercer")
        run([MERCER, "fit", "ridge", self.path("part-3.csv"), "--target", "y", "--plain", "--centres", "20", "-o", model])
        for ranks in (2, 5):
            out = self.path(f"out-{ranks}")
            for again in ("", "3 of 3 files"):
                done = mpi(ranks, "predict", model, self.data, "-o", out + "/")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count("complete already"), 1 if again else 0, done.stderr)
                self.assertIn(again, done.stderr)
            run([MERCER, "predict", model, self.data, "-o", self.path("one") + "/"])
            for part in (1, 2, 3):
                self.assertEqual(pathlib.Path(out, f"part-{part}.csv").read_text(),
                                 pathlib.Path(self.path("one"), f"part-{part}.csv").read_text())
        (self.at / "bad").mkdir()
        for part in (1, 2, 3):
            (self.at / "bad" / f"{part}.csv").write_text(table(0, 5) if part < 3 else "a,b\n1,2\n")
        self.refused(mpi(3, "predict", model, self.path("bad/*.csv"), "-o", self.path("bad-out") + "/"), "(rank 2 of 3", "3.csv")
        self.refused(mpi(2, "predict", model, self.data), "-o out/", code=2)

    def test_bad_input_is_one_line(self):
        fit = ["fit", "ridge", "--target", "y", "--centres", "20", "-o", self.path("none.mercer")]
        self.refused(mpi(3, *fit, self.path("nothing-*.csv")), "nothing-*.csv")
        ragged = self.path("ragged.csv")
        pathlib.Path(ragged).write_text(table(0, 5000) + "1,2\n")
        self.refused(mpi(3, *fit, ragged), "ragged.csv", code=1)
        text = self.path("text.csv")
        pathlib.Path(text).write_text(table(0, 140000) + "1,oops,3,4,1\n")
        self.refused(mpi(3, *fit, text), "text.csv", "(rank 2 of 3", code=1)
        self.refused(mpi(2, "fit", "svc", self.data, "--target", "g", "-o", self.path("none.mercer")), "in one process", code=2)
        self.refused(mpi(2, *fit[:4], self.data, "-o", self.path("none.mercer")), "--centres", code=2)
        self.refused(mpi(2, *fit, self.data, "--time", "5"), "--time", code=2)
        self.refused(mpi(2, *fit, self.data, "--resume"), "--resume", code=2)
        self.refused(mpi(2, *fit, "-"), "standard input", code=2)
        self.refused(mpi(2, "gram", "rbf(ell=1)", self.data, "-o", self.path("K.npy")), "fit and predict", code=2)
        self.refused(mpi(2, "fit", "ridge", self.data, "--target", "nobody", "--centres", "9", "-o", "x"), "nobody")
        full = mpi(2, *fit[:-1], "/dev/full", self.data, "--plain", "--kernel", "rbf(ell=1)")
        self.refused(full, "/dev/full", code=1)
        self.assertFalse((self.at / "none.mercer").exists())

    def test_ranks_that_differ_say_so(self):
        fit = ["fit", "ridge", "t.csv", "--target", "y", "--centres", "20", "--plain", "-o", self.path("none.mercer")]
        homes = [self.at / "home-0", self.at / "home-1"]
        for home, rows in zip(homes, (3000, 2900)):
            home.mkdir()
            (home / "t.csv").write_text(table(0, rows))

        def each(first, second):
            return run([MPIRUN, "-n", "1", *first, ":", "-n", "1", *second])

        self.refused(each(["-wdir", str(homes[0]), MERCER_MPI, *fit], ["-wdir", str(homes[1]), MERCER_MPI, *fit]),
                     "t.csv: rank 1", "must be the same", code=1)
        (homes[1] / "t.csv").unlink()
        self.refused(each(["-wdir", str(homes[0]), MERCER_MPI, *fit], ["-wdir", str(homes[1]), MERCER_MPI, *fit]),
                     "t.csv: rank 1", "no such file", code=1)
        self.refused(each(["-wdir", str(homes[0]), MERCER_MPI, *fit], [MERCER_MPI, *fit, "--ridge", "2"]), "command: rank 1")
        self.refused(each([MERCER_MPI, *fit], ["env", "MERCER_SIMD=scalar", MERCER_MPI, *fit]), "instruction set: rank 1")

    def long_fit(self):
        """A fit that takes far longer than the test, when it is at its passes."""
        data = self.path("long.csv")
        if not os.path.exists(data):
            pathlib.Path(data).write_text(table(0, 60000))
        words = [MPIRUN, "-n", "3", MERCER_MPI, "fit", "logistic", data, "--target", "g", "--kernel", "rbf(ell=0.3)",
                 "--centres", "1500", "--lambda", "1e-9", "--plain", "-o", self.path("long.mercer")]
        process = subprocess.Popen(words, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(8)
        self.assertIsNone(process.poll(), "the fit is to be at work")
        return process

    def ranks_of(self, process):
        found = run(["pgrep", "-P", str(process.pid)]).stdout.split()
        self.assertEqual(len(found), 3)
        return [int(pid) for pid in found]

    def test_a_killed_rank_ends_all(self):
        process = self.long_fit()
        ranks = self.ranks_of(process)
        os.kill(ranks[1], signal.SIGKILL)
        _, words = process.communicate(timeout=SECONDS)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("signal 9 (Killed)", words)
        for pid in ranks:
            self.assertFalse(os.path.exists(f"/proc/{pid}/exe"))
        self.assertFalse((self.at / "long.mercer").exists())

    def test_who_is_asked_to_stop_stops_all(self):
        process = self.long_fit()
        os.kill(self.ranks_of(process)[1], signal.SIGTERM)
        _, words = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 1, words)
        self.assertTrue("stopped; no file was written" in words or "not converged" in words, words)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
