"""scripts/arrows.py finds what points the wrong way."""
import pathlib
import shutil
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

    def test_folders_side_by_side(self):
        self.write("src/machines/svm/a.hpp")
        self.write("src/machines/gp/b.cpp", '#include "machines/svm/a.hpp"\n')
        self.expect("machines/gp must not include machines/svm/a.hpp")

    def test_a_listed_header_that_does_not_exist(self):
        (self.root / "include/mercer/gram.hpp").unlink()
        self.expect("lists include/mercer/gram.hpp")

    def test_a_header_that_is_not_listed(self):
        self.write("include/mercer/new.hpp")
        self.expect("include/mercer/new.hpp", "no room")

    def test_an_include_of_nothing(self):
        self.write("src/base/a.cpp", '#include "base/gone.hpp"\n')
        self.expect("base/gone.hpp", "no file")

    def test_public_headers_include_no_dependency(self):
        self.write("include/mercer/gram.hpp", "#include <fmt/format.h>\n")
        self.expect("fmt/format.h", "public")


if __name__ == "__main__":
    unittest.main()
