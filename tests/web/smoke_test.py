"""smoke_test.py MERCER: a report and the gallery open in a browser from a file, draw their pictures, say nothing on the
console. `make test-web` does more; this needs no npm, only chromium, and is skipped (77) where that is not there."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done


def page_in_browser(browser, path, folder):
    """The page after its script ran, and what it said on the console."""
    words = [browser, "--headless", "--disable-gpu", "--enable-logging=stderr", "--log-level=0",
             f"--user-data-dir={folder}/profile", "--virtual-time-budget=20000",
             "--window-size=1200,9000", "--run-all-compositor-stages-before-draw",
             # Whatever the page asked for beyond itself would fail.
             "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom", path.as_uri()]
    if os.geteuid() == 0:
        words.insert(1, "--no-sandbox")
    done = run(*words)
    shown = re.sub(r"<script\b.*?</script>", "", done.stdout, flags=re.DOTALL)
    return shown, [line for line in done.stderr.splitlines() if ":CONSOLE" in line]


def check(browser, path, folder, least):
    # Pictures are drawn when they come into view, which a browser on a busy machine may be too late to notice.
    for _ in range(3):
        dom, console = page_in_browser(browser, path, folder)
        assert not console, console
        figures, canvases = len(re.findall(r"<figure\b", dom)), len(re.findall(r"<canvas\b", dom))
        if canvases > 0:
            break
    assert figures >= least, f"{path.name}: {figures} figures, wanted {least}"
    assert canvases >= least // 2, f"{path.name}: only {canvases} pictures were drawn"
    assert "could not be drawn" not in dom, f"{path.name}: a picture could not be drawn"
    assert path.stat().st_size <= 2_000_000, f"{path.name}: {path.stat().st_size} bytes"


def main():
    mercer = sys.argv[1]
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("skipped: chromium is not there (apt-get install chromium); pages are not opened")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        data = ROOT / "data" / "toys" / "two_moons.csv"
        run(mercer, "fit", "svc", str(data), "-o", str(place / "m.mercer"))
        run(mercer, "report", str(place / "m.mercer"), str(data), "-o", str(place / "report.html"))
        run(mercer, "demo", "gallery", "-o", folder)
        check(browser, place / "report.html", folder, 6)
        check(browser, place / "gallery.html", folder, 8)
    print("a report and the gallery opened from files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
