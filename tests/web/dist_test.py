"""The page that the library holds, web/dist/mercer.html, was built from the sources beside it, and is sealed."""
import base64
import hashlib
import pathlib
import re
import sys
import unittest

WEB = pathlib.Path(__file__).resolve().parents[2] / "web"
PAGE = (WEB / "dist" / "mercer.html").read_text(encoding="utf-8")
GALLERY = (WEB.parent / "docs" / "gallery.html").read_text(encoding="utf-8")


def sources():
    """As web/sources.ts has them: in the order of their names."""
    below = [f for f in (WEB / "src").rglob("*") if f.is_file() and not f.name.endswith(".test.ts")]
    tops = [WEB / name for name in ("mercer.html", "package-lock.json", "vite.config.ts")]
    return sorted(tops + below, key=lambda f: f.relative_to(WEB).as_posix())


def meta(attribute, name):
    return re.search(rf'<meta {attribute}="{name}" content="([^"]*)"', PAGE).group(1)


class Dist(unittest.TestCase):
    def test_is_built_from_these_sources(self):
        joined = hashlib.sha256(b"".join(f.read_bytes() for f in sources())).hexdigest()
        self.assertEqual(meta("name", "mercer-sources"), joined, "web/dist/mercer.html is old: run `make web`")

    def test_policy_names_every_script_and_style(self):
        policy = meta("http-equiv", "Content-Security-Policy")
        found = 0
        for tag, attributes, text in re.findall(r"<(script|style)\b([^>]*)>(.*?)</\1>", PAGE, re.DOTALL):
            if "application/json" in attributes:
                continue
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertIn(f"'sha256-{digest}'", policy, f"a {tag} of the page is not in its policy")
            found += 1
        self.assertGreaterEqual(found, 2)
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)

    def test_asks_for_nothing_from_elsewhere(self):
        fetched = re.findall(r"<(?:script|img|link|iframe)\b[^>]*\b(?:src|href)=\"([^\"]*)\"", PAGE)
        self.assertEqual(set(fetched) - {"data:,"}, set())
        # Names of XML are no addresses to be fetched.
        addresses = {a for a in re.findall(r"https?://[^\s\"'`<>)]+", PAGE) if not a.startswith("http://www.w3.org/")}
        self.assertEqual(addresses, set())

    def test_the_gallery_is_this_page_with_a_document(self):
        empty = re.sub(r'(<script type="application/json" id="document">).*?(</script>)', r"\1null\2", GALLERY, flags=re.DOTALL)
        self.assertEqual(empty, PAGE, "docs/gallery.html is old: run `make gallery`")

    def test_is_small_enough_for_every_report(self):
        self.assertLess(len(PAGE.encode()), 1_200_000)


if __name__ == "__main__":
    sys.exit(unittest.main())
