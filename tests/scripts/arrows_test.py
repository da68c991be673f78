"""scripts/arrows.py finds what points the wrong way."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import arrows  # noqa: E402


class Arrows(unittest.TestCase):
    def setUp(self):
        """A house with the public headers and nothing in its rooms."""
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name in arrows.PUBLIC:
            self.write(f"include/mercer/{name}.hpp", "#include <vector>\n")

    def write(self, path, text=""):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def found(self):
        return arrows.problems(self.root)[1]

    def expect(self, *pieces):
        found = self.found()
        self.assertEqual(len(found), 1, found)
        for piece in pieces:
            self.assertIn(piece, found[0])

    def test_a_sound_house(self):
        self.write("src/base/at.hpp")
        self.write("src/machines/svm/rows.hpp", '#include "base/at.hpp"\n#include "mercer/gram.hpp"\n')
        self.write("bench/b.cpp", '#include "mercer/mercer.hpp"\n')
        self.assertEqual(self.found(), [])

    def test_every_place_is_looked_into(self):
        self.write("cli/output.hpp")
        for place in ("src/base/a.cpp", "src/machines/svm/a.hpp", "src/simd/a-inl.h", "python/src/a.cpp",
                      "include/mercer/machines/a.hpp"):
            self.write(place, '#include "cli/output.hpp"\n'.replace("cli", "../" * place.count("/") + "cli"))
            with self.subTest(place):
                self.assertIn(place, "".join(self.found()))
            (self.root / place).unlink()

    def test_a_wrong_way(self):
        self.write("src/base/a.cpp", '#include "mercer/gram.hpp"\n')
        self.expect("base must not include mercer/gram.hpp (gram)")

    def test_a_public_header_without_a_room(self):
        self.write("include/mercer/tallies.hpp")
        self.write("src/domains/a.cpp", '#include "mercer/tallies.hpp"\n')
        self.expect("include/mercer/tallies.hpp: belongs to no room; name it in scripts/arrows.py")

    def test_a_library_that_one_file_holds(self):
        self.write("src/base/json.cpp", "#include <nlohmann/json.hpp>\n")
        self.write("src/base/other.hpp", "#include <nlohmann/json.hpp>\n")
        self.expect("src/base/other.hpp: includes nlohmann/json.hpp; only src/base/json.cpp may")

    def test_folders_side_by_side(self):
        self.write("src/machines/svm/a.hpp")
        self.write("src/machines/risk/b.cpp", '#include "machines/svm/a.hpp"\n')
        self.expect("machines/risk must not include machines/svm/a.hpp")

    def test_folders_that_are_named_see_each_other_one_way(self):
        self.write("src/machines/risk/a.hpp")
        self.write("src/machines/processes/a.hpp", '#include "machines/risk/a.hpp"\n')
        self.assertEqual(self.found(), [])
        self.write("src/machines/risk/b.cpp", '#include "machines/processes/a.hpp"\n')
        self.expect("machines/risk must not include machines/processes/a.hpp")

    def test_folders_side_by_side_at_any_depth(self):
        self.write("src/machines/svm/rows/a.hpp")
        self.write("src/machines/svm/b.cpp", '#include "machines/svm/rows/a.hpp"\n')  # below: fine
        self.write("src/machines/svm/cache/c.cpp", '#include "machines/svm/rows/a.hpp"\n')
        self.expect("machines/svm/cache must not include machines/svm/rows/a.hpp")

    def test_doors_do_not_see_each_other(self):
        self.write("studio/jobs.hpp", '#include "report/exhibit.hpp"\n')
        self.write("src/report/exhibit.hpp")
        self.write("cli/studio.cpp", '#include "../studio/jobs.hpp"\n')
        self.assertEqual(self.found(), [])
        self.write("src/report/a.cpp", '#include "../../studio/jobs.hpp"\n')
        self.expect("report must not include", "(studio)")

    def test_the_page_points_one_way(self):
        self.write("web/src/charts/types.ts", "export type A = 1;\n")
        self.write("web/src/kit/plot.ts", 'import type { A } from "../charts/types";\nimport { scale } from "d3-scale";\n')
        self.write("web/src/charts/curve.ts", 'import { plot } from "../kit/plot";\nimport "./curve.css";\n')
        self.write("web/src/charts/curve.test.ts", 'import { test } from "vitest";\n')
        self.assertEqual(self.found(), [])
        self.write("web/src/charts/roc.ts", 'import {\n  screen,\n} from "../studio/play";\n')
        self.expect("web/src/charts/roc.ts", "charts must not import ../studio/play (studio)")

    def test_the_kit_sees_no_chart(self):
        self.write("web/src/kit/plot.ts", 'import { curve } from "../charts/curve";\n')
        self.expect("kit must not import ../charts/curve (charts)")

    def test_the_page_takes_no_other_package(self):
        self.write("web/src/main.ts", 'import * as echarts from "echarts";\n')
        self.expect("echarts", "D3")

    def objects(self):
        self.write("objects.txt", "\n".join(str(f) for f in sorted(self.root.rglob("*.o"))))
        return self.root / "objects.txt"

    def compile(self, path, text):
        path = "mercer.dir/" + path
        self.write("source.cpp", text)
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([os.environ.get("CXX", "c++"), "-c", self.root / "source.cpp", "-o", self.root / path], check=True)

    def test_what_is_only_linked(self):
        self.compile("src/gram/a.cpp.o", "namespace mercer { void low() {} }")
        self.compile("Unity/unity_batch_src_machines_svm_1_cxx.cxx.o",
                     "namespace mercer { void low(); void fit(int) { low(); } void machines() {} }")
        self.compile("Unity/unity_batch_src_model_1_cxx.cxx.o", "namespace mercer { void machines(); void g() { machines(); } }")
        self.assertEqual(arrows.link_problems(self.objects()), (3, []))
        self.compile("src/model/b.cpp.o", "namespace mercer { void fit(int); void f() { fit(1); } }")
        count, found = arrows.link_problems(self.objects())
        self.assertEqual((count, found), (4, ["b.cpp.o: model must not call fit (machines)"]))

    def test_the_graph_has_no_circle(self):
        done = set()

        def visit(room, above):
            self.assertNotIn(room, above)
            for below in arrows.MAY_SEE[room] if room not in done else ():
                visit(below, above | {room})
            done.add(room)

        for room in arrows.MAY_SEE:
            visit(room, set())

    def test_circles_of_python_modules(self):
        self.write("python/mercer/a.py", "from . import b\n")
        self.write("python/mercer/b.py", "from .c import d\n")
        self.write("python/mercer/c.py", "def f():\n    from . import a\n    return a\n")  # when called: fine
        self.assertEqual(self.found(), [])
        self.write("python/mercer/c.py", "from .a import f\n")
        self.expect("a -> b -> c -> a", "circle")

    def test_a_listed_header_that_does_not_exist(self):
        (self.root / "include/mercer/gram.hpp").unlink()
        self.expect("lists include/mercer/gram.hpp")

    def test_a_header_that_is_not_listed(self):
        self.write("include/mercer/new.hpp")
        self.expect("include/mercer/new.hpp", "no room")

    def test_mercer_hpp_is_the_whole_library(self):
        top = ROOT / "include"
        headers = {f.relative_to(top).as_posix() for f in top.rglob("*.hpp")} - {"mercer/mercer.hpp", "mercer/testing.hpp"}
        included = [text for _, text in arrows.INCLUDE.findall((top / "mercer" / "mercer.hpp").read_text())]
        self.assertEqual(sorted(included), sorted(headers))

    def test_an_include_of_nothing(self):
        self.write("src/base/a.cpp", '#include "base/gone.hpp"\n')
        self.expect("base/gone.hpp", "no file")

    def test_public_headers_include_no_dependency(self):
        self.write("include/mercer/gram.hpp", "#include <fmt/format.h>\n")
        self.expect("fmt/format.h", "public")


if __name__ == "__main__":
    unittest.main()
