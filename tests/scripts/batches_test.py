"""cmake/batches.awk puts no two files together of which one says what the other has for itself."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Batches(unittest.TestCase):
    roots = ""

    def batches(self, *texts, size=8):
        """The batch of each of these files of one folder; None: it stays alone."""
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / f"f{i}.cpp" for i in range(len(texts))]
            for file, text in zip(files, texts):
                file.write_text(text)
            words = ["awk", "-v", f"size={size}", "-v", f"base={folder}", "-v", f"roots={self.roots}", "-f", ROOT / "cmake/batches.awk", *files]
            lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
        found = dict(line.rsplit(" ", 1) for line in lines)
        return [found.get(str(file)) for file in files]

    def apart(self, *texts):
        one, other = self.batches(*texts)
        self.assertNotEqual(one, other, texts)

    def together(self, *texts):
        one, other = self.batches(*texts)
        self.assertEqual(one, other, texts)
        self.assertIsNotNone(one)

    def hidden(self, text):
        return "namespace mercer {\n\nnamespace {\n\n" + text + "\n}  // namespace\n\n}  // namespace mercer\n"

    def test_names_that_do_not_meet(self):
        self.together(self.hidden("int f() { return 1; }\n"), self.hidden("int g() { return 1; }\n"))

    def test_what_is_in_a_body_or_a_comment_is_not_declared(self):
        self.together(self.hidden("int f() {\n  int x = 1;\n  return x;\n}\n"), self.hidden("int g(int x) { return x; }\n"))
        self.together(self.hidden("int f() { return 1; }\n"), self.hidden('// like f\nauto g() { return "f"; }\n'))

    def test_every_form_of_declaration(self):
        for one in ("int f() { return 1; }", "struct f {\n  int x;\n};", "class f : public std::vector<int> {\n};",
                    "constexpr int f = 3;", 'const std::array<std::string, 2> f = {"a", "b"};', "const ns::T f(1);", "constexpr int a = 1, f = 2, b = 3;", "const std::array<int, 3> f{};", "using f = int;", "enum class f { a };", "enum Kind { a = 1, f };",
                    "template <class T>\nstd::map<int, T> f(T x) {\n}", "std::function<double(double)> f(\n    int x) {\n}",
                    "const char* const f[] = {};", "struct f final : g {\n};", "[[noreturn]] void f(int x) {\n}",
                    "std::vector<std::pair<int, long>>\n    f;"):
            self.apart(self.hidden(one + "\n"), "int g() { return f; }\n")

    def test_a_name_that_the_other_says(self):
        # Alone, the call finds the function of a header; together it would find the other file's as well.
        one, other = self.hidden("double width(int x) { return x; }\n"), "namespace mercer {\n\ndouble g() { return width(1.5); }\n}\n"
        self.apart(one, other)
        self.apart(other, one)

    def test_a_name_that_a_header_of_the_other_declares(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "inner.hpp").write_text("namespace mercer {\nstruct Sides {\n  int side;\n};\n}\n")
            (pathlib.Path(folder) / "outer.hpp").write_text('#include "inner.hpp"\n')
            include = '#include "outer.hpp"\nint g();\n'
            self.roots = folder
            self.apart(self.hidden("struct Sides {\n};\n"), include)
            self.apart(include, self.hidden("struct Sides {\n};\n"))
            self.together(self.hidden("struct side {\n};\n"), include)

    def test_static_and_using(self):
        self.apart("static int f() { return 1; }\n", self.hidden("int g() { return f(); }\n"))
        self.apart("namespace mercer {\nusing detail::Bound;\n}\n", "namespace mercer {\nint g(Bound x);\n}\n")
        self.apart("namespace fs = std::filesystem;\n", "namespace fs = std::fs;\n")
        self.apart("namespace fs = std::filesystem;\n", "void fs();\n")
        self.apart("using a::Bound;\n", "using b::Bound;\n")
        self.together("using a::Bound;\n", "using a::Bound;\nBound f();\n")

    def test_members_are_no_names_of_a_file(self):
        own = self.hidden("int add(int x) { return x; }\n")
        self.together(own, "int g(T& x, T* p) { return x.add(1) + p->add(2); }\n")
        self.together(own, "int g(T& x) {\n  return x\n      .add(1);\n}\n")
        self.apart(own, "int g(T& x) { return x.size() + add(1); }\n")
        self.apart(own, "template <class... add>\nint g(add...);\n")
        self.together(self.hidden("struct T {\n  int size() const;\n};\n\nint T::size() const { return 1; }\n"), "int g(int size);\n")
        self.together(self.hidden("static_assert(1 < 2);\n"), self.hidden("static_assert(1 < 3);\n"))

    def test_macros_and_opened_namespaces_stay_alone(self):
        self.assertEqual(self.batches("#define X 1\n", "namespace mercer {\nusing namespace detail;\n}\n", "int f();\n"),
                         [None, None, "top_1"])

    def test_a_namespace_of_the_file(self):
        own = "namespace mercer::f{0} {{\nnamespace {{\nint g() {{ return 1; }}\n}}  // namespace\n}}  // namespace mercer::f{0}\n"
        self.together(own.format(0), own.format(1))

    def test_files_of_one_room(self):
        """The first two folders make the room, unless rooms may be mixed."""
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("src/a/x.cpp", "src/a/b/y.cpp", "src/c/z.cpp", "d/w.cpp")]
            for file in files:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("int f();\n")
            found = []
            for mixed in (0, 1):
                words = ["awk", "-v", "size=3", "-v", f"base={folder}", "-v", "roots=", "-v", f"mixed={mixed}", "-f",
                         ROOT / "cmake/batches.awk", *files]
                lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
                found.append([line.rsplit(" ", 1)[1] for line in lines])
        self.assertEqual(found[0], ["src_a_1", "src_a_1", "src_c_1", "d_1"])
        self.assertEqual(found[1], ["mixed_1", "mixed_1", "mixed_1", "mixed_2"])

    def test_size(self):
        self.assertEqual(self.batches(*["int f();\n"] * 5, size=2), ["top_1", "top_1", "top_2", "top_2", "top_3"])


if __name__ == "__main__":
    unittest.main()
