"""`mercer studio` as a browser, a hostile page and a clumsy network meet it. MERCER names the command."""
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from client import Events, Server

COMMAND = os.environ["MERCER"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
POINTS = {"x": [0, 1, 2, 3, 4, 5], "y": [0, 1, 0, -1, 0, 1]}


def fit(**more):
    return {"slot": "t/1", "seq": 1, "points": POINTS, "machine": "ridge", "options": {"ridge": "0.1"},
            "expr": "rbf(ell=1)", "learn": False, "exhibits": ["curve"]} | more


class Studio(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        inside = pathlib.Path(cls.folder.name, "in")
        inside.mkdir()
        pathlib.Path(cls.folder.name, "secret.csv").write_text("a,b\n1,2\n3,4\n")
        inside.joinpath("wine.csv").write_text("a,b,class\n" + "".join(f"{i},{i % 3},{'uv'[i % 2]}\n" for i in range(30)))
        inside.joinpath("broken.csv").write_text("a,b\n1,2\n3\n")
        inside.joinpath("binary.csv").write_bytes(bytes(range(256)) * 40)
        inside.joinpath("link.csv").symlink_to("../secret.csv")
        cls.server = Server(COMMAND, str(inside)).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.folder.cleanup()

    def raw(self, data, wait=10, port=None):
        """All that comes back for these bytes."""
        with socket.create_connection(("127.0.0.1", port or self.server.port), timeout=wait) as wire:
            wire.sendall(data)
            out = b""
            try:
                while part := wire.recv(65536):
                    out += part
            except (TimeoutError, ConnectionResetError):
                pass
            return out

    def expect(self, got, status, *words):
        self.assertEqual(got[0], status, got[2])
        for word in words:
            self.assertIn(word, json.dumps(got[2]))
        return got[2]

    def fitted(self, body):
        """(name, data) of how it ended."""
        events = self.server.events(slot=body["slot"])
        job = self.expect(self.server.post("/fit", body), 202)["job"]
        try:
            return events.until(lambda name, data: data.get("job") == job and name != "progress")
        finally:
            events.close()

    # ---- who is let in ----

    def test_token(self):
        begun = time.monotonic()
        self.expect(self.server.post("/session", {"token": "0" * 32}, key=None), 403, "token")
        self.assertGreaterEqual(time.monotonic() - begun, 0.1)
        self.expect(self.server.post("/session", {}, key=None), 400, "token")
        self.expect(self.server.get("/catalog", key=None), 401)
        self.expect(self.server.get("/catalog", headers={"X-Mercer-Key": "0" * 32}), 403)
        # A cookie would go to every server of this machine: there is none, and none is taken.
        self.expect(self.server.get("/catalog", key=None, headers={"Cookie": f"mercer_{self.server.port}={self.server.key}"}), 401)
        # A guess does not keep others waiting.
        waiting = [threading.Thread(target=self.server.post, args=("/session", {"token": "x"})) for _ in range(8)]
        for one in waiting:
            one.start()
        begun = time.monotonic()
        self.expect(self.server.get("/session"), 200)
        self.assertLess(time.monotonic() - begun, 5)
        for one in waiting:
            one.join()

    def test_a_token_is_good_for_one_time(self):
        with Server(COMMAND) as server:
            self.expect(server.post("/session", {"token": server.token}, key=None), 403, "used")
            status, headers, told = server.get("/session")
            self.assertEqual((status, "key" in told, "Set-Cookie" in headers), (200, False, False))
            # Another browser comes in by the next one, which the terminal shows.
            for _ in range(100):
                if any("token=" in line for line in server.words):
                    break
                time.sleep(0.05)
            following = [line.split("token=")[1].strip() for line in server.words if "token=" in line][-1]
            self.assertNotEqual(following, server.token)
            status, headers, told = server.post("/session", {"token": following}, key=None)
            self.assertEqual((status, told["key"], "Set-Cookie" in headers), (200, server.key, False))

    def test_host_origin_method_type(self):
        for host in ("evil.example", f"evil.example:{self.server.port}", "127.0.0.1", f"127.0.0.1:{self.server.port + 1}"):
            self.expect(self.server.get("/catalog", headers={"Host": host}), 421)
        self.expect(self.server.get("/session", headers={"Origin": "http://evil.example"}), 403)
        self.expect(self.server.post("/check", {"expr": "min()"}, headers={"Origin": "http://evil.example"}), 403)
        self.expect(self.server.post("/check", {"expr": "min()"}, headers={"Origin": None}), 403)
        self.expect(self.server.post("/check", '{"expr": "min()"}', headers={"Content-Type": "text/plain"}), 415)
        self.expect(self.server.ask("PUT", "/check", {"expr": "min()"}), 405)
        self.expect(self.server.ask("OPTIONS", "/check"), 405)
        self.expect(self.server.get("/check"), 405)
        self.expect(self.server.get("/nothing"), 404)
        two = f"GET /api/v1/session HTTP/1.1\r\nHost: {self.server.host}\r\nHost: evil.example\r\n\r\n"
        self.assertIn(b" 400 ", self.raw(two.encode()))

    def test_headers_of_answers(self):
        for path, key in (("/session", True), ("/session", None)):
            _, headers, _ = self.server.get(path, key=key)
            self.assertIn("frame-ancestors 'none'", headers["Content-Security-Policy"])
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")
            self.assertNotIn("Access-Control-Allow-Origin", headers)

    def test_page(self):
        connection = self.server.connect()
        connection.request("GET", "/", headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        body = answer.read()
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["Content-Encoding"], "gzip")
        self.assertTrue(body.startswith(b"\x1f\x8b"))
        self.assertIn("script-src 'sha256-", answer.headers["Content-Security-Policy"])
        connection.request("GET", "/", headers={"If-None-Match": answer.headers["ETag"]})
        again = connection.getresponse()
        self.assertEqual((again.status, again.read()), (304, b""))
        connection.close()

    # ---- too much, too slow, no HTTP ----

    def test_limits(self):
        # Whoever still sends when it is refused hears of it all the same.
        self.expect(self.server.post("/data", b"x" * (130 << 20), headers={"Content-Type": "application/octet-stream"}), 413)
        self.expect(self.server.post("/check", '{"expr":' + "[" * 40 + "]" * 40 + "}"), 400, "deep")
        self.expect(self.server.post("/check", {"expr": "x" * 10001}), 400, "10000")
        self.expect(self.server.post("/check", "{nonsense"), 400, "JSON")
        self.expect(self.server.get("/session", headers={"X-Long": "x" * 9000}), 431)
        self.assertIn(b" 400 ", self.raw(b"nonsense\r\n\r\n"))
        self.expect(self.server.post("/fit", fit(points={"x": [0] * 200000, "y": [0] * 200000})), 413)

    def test_chunked(self):
        body = b'{"expr":"min()"}'
        head = (f"POST /api/v1/check HTTP/1.1\r\nHost: {self.server.host}\r\nOrigin: http://{self.server.host}\r\n"
                f"X-Mercer-Key: {self.server.key}\r\nContent-Type: application/json\r\nConnection: close\r\n"
                "Transfer-Encoding: chunked\r\n\r\n").encode()
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + 5]), body[i:i + 5]) for i in range(0, len(body), 5))
        self.assertIn(b'"proof"', self.raw(head + chunks + b"0\r\n\r\n"))
        self.assertIn(b" 413 ", self.raw(head.replace(b"/check", b"/fit") + b"200000\r\n" + b"x" * 0x200000 + b"\r\n"))
        self.assertNotIn(b" 200 ", self.raw(head + b"ffffffffffffffffff\r\nx", wait=1))
        self.assertNotIn(b" 200 ", self.raw(head + b"-5\r\nx", wait=1))

    def test_slow_heads_do_not_keep_others_out(self):
        slow = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(20)]
        for wire in slow:
            wire.sendall(b"GET / HTTP/1.1\r\nX-")
        self.expect(self.server.get("/session"), 200)
        for wire in slow:
            wire.close()

    def test_strangers_do_not_keep_others_out(self):
        """A thousand connections that say nothing, or ask for the page with a wrong key: whoever has the key is answered."""
        wires = []
        try:
            for i in range(1000):
                wires.append(socket.create_connection(("127.0.0.1", self.server.port)))
                if i % 2:
                    wires[-1].sendall(f"GET / HTTP/1.1\r\nHost: {self.server.host}\r\nX-Mercer-Key: x\r\n\r\n".encode())
                if i % 100 == 99:
                    self.expect(self.server.get("/session"), 200)
        finally:
            for wire in wires:
                wire.close()

    def test_storm(self):
        """More connections than there may be: each is answered or turned away, and then all is as before."""
        got = []

        def ask():
            try:
                got.append(self.server.post("/check", {"expr": "rbf(ell=1)"})[0])
            except (ConnectionError, http.client.HTTPException):
                got.append(0)

        threads = [threading.Thread(target=ask) for _ in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLessEqual(set(got), {0, 200, 503})
        self.assertIn(200, got)
        self.expect(self.server.get("/session"), 200)

    # ---- kernels ----

    def test_check(self):
        proved = self.expect(self.server.post("/check", {"expr": "rbf(ell=1) + linear()", "params": {"rbf.ell": 2}}), 200)
        self.assertEqual(proved["str"], "rbf(ell=2) + linear()")
        self.assertEqual(proved["proof"]["rule"], "sum")
        self.assertEqual(proved["params"][0]["path"], "rbf.ell")
        refuted = self.expect(self.server.post("/check", {"expr": "exp(-abs(x-y)^3)"}), 200)
        self.assertLess(refuted["counterexample"]["value"], 0)
        wrong = self.expect(self.server.post("/check", {"expr": "rbf(ell=1"}), 200)
        self.assertEqual(wrong["position"], 9)
        self.assertEqual(len(wrong["expected"]), 1)
        unknown = self.expect(self.server.post("/check", {"expr": "exp(-norm(x-y)^1.5)"}), 200)
        self.assertGreater(unknown["tried"], 0)

    def test_complete(self):
        got = self.expect(self.server.post("/complete", {"expr": "2*rb + 1", "cursor": 4}), 200)
        self.assertEqual(got["from"], 2)
        self.assertIn("rbf(", [one["text"] for one in got["candidates"]])

    def test_pictures_of_kernels(self):
        self.assertEqual(self.expect(self.server.post("/kernel", {"expr": "rbf(ell=1)"}), 200)["exhibits"][0]["kind"], "curve")
        prior = self.expect(self.server.post("/prior", {"expr": "rbf(ell=1)", "grid": [0, 1, 50], "draws": 3, "seed": 1}), 200)
        self.assertEqual(len(prior["data"]["lines"]), 3)
        data = self.expect(self.server.post("/data", {"builtin": "moons"}), 200)["id"]
        gram = self.expect(self.server.post("/gram", {"expr": "rbf(ell=1)", "data": data, "order": "file", "size": 64}), 200)
        self.assertEqual(gram["data"]["size"], 64)
        # The target is no input, and where it holds classes the points can be put in their order.
        moons = self.expect(self.server.post("/data", {"builtin": "moons"}), 200)["id"]
        gram = self.expect(self.server.post("/gram", {"expr": "on(1:2, rbf(ell=1))", "data": moons, "order": "class"}), 200)
        self.assertEqual(gram["data"]["order"], "by class")
        self.assertEqual(len(gram["data"]["blocks"]), 2)
        third = self.server.post("/gram", {"expr": "on(3, rbf(ell=1))", "data": moons})
        self.assertGreaterEqual(third[0], 400)
        value = self.expect(self.server.get(f"/gram/value?data={data}&expr=rbf(ell%3D1)&i=1&j=1"), 200)
        self.assertEqual(value["value"], 1)
        self.expect(self.server.get(f"/gram/value?data={data}&expr=rbf(ell%3D1)&i=0&j=1"), 400)
        self.expect(self.server.post("/prior", {"expr": "spectrum(k=3)"}), 422)

    # ---- data and files ----

    def test_data(self):
        catalog = self.expect(self.server.get("/catalog"), 200)
        for one in catalog["builtin"]:
            got = self.expect(self.server.post("/data", {"builtin": one["name"]}), 200)
            self.assertEqual(got["rows"], one["rows"])
            self.assertEqual("points" in got, one["play"], one["name"])
        self.expect(self.server.post("/data", {"builtin": "mons"}), 404, "moons")
        upload = {"Content-Type": "application/octet-stream", "X-Mercer-Name": "caf%C3%A9.csv"}
        got = self.expect(self.server.post("/data", b"a,b\n1,2\n3,4\n", headers=upload), 200)
        self.assertEqual((got["name"], got["rows"]), ("caf\u00e9.csv", 2))
        for bad in (b"", b"a,b\n1,2\n3\n", bytes(range(256)) * 10, b"\x1f\x8bnonsense"):
            self.assertIn(self.server.post("/data", bad, headers=upload)[0], (422, 400))
        self.expect(self.server.get("/data/d999"), 404)

    def test_files(self):
        files = self.expect(self.server.get("/files"), 200)
        self.assertEqual([one["name"] for one in files["files"]], ["binary.csv", "broken.csv", "wine.csv"])
        opened = self.expect(self.server.post("/files/open", {"name": "wine.csv"}), 200)
        self.assertEqual(opened["suggested"]["task"], "classes")
        self.expect(self.server.post("/files/open", {"name": "../secret.csv"}), 403)
        self.expect(self.server.post("/files/open", {"name": "link.csv"}), 403)
        self.expect(self.server.post("/files/open", {"name": "/etc/passwd"}), 403)
        self.expect(self.server.post("/files/open", {"name": "gone.csv"}), 404)
        self.expect(self.server.post("/files/open", {"name": "broken.csv"}), 422, "broken.csv")
        self.expect(self.server.post("/files/open", {"name": "binary.csv"}), 422, "binary.csv")

    # ---- fits ----

    def test_fit(self):
        name, done = self.fitted(fit())
        self.assertEqual(name, "done", done)
        self.assertEqual(done["model"]["machine"], "ridge")
        model = done["model"]["id"]
        said = self.expect(self.server.post("/predict", {"model": model, "rows": [[0.5], [1.5]]}), 200)
        self.assertEqual(len(said["rows"]), 2)
        status, headers, file = self.server.get(f"/models/{model}.mercer")
        self.assertEqual(status, 200)
        self.assertTrue(file.startswith(b"mercer-model "))
        self.assertEqual(self.expect(self.server.get(f"/models/{model}"), 200)["model"]["id"], model)
        saved = {"model": model, "name": "saved.mercer", "what": "model"}
        self.expect(self.server.post("/save", saved), 200)
        self.expect(self.server.post("/save", saved), 409)
        self.expect(self.server.post("/save", saved | {"name": "../out.mercer"}), 403)
        pathlib.Path(self.folder.name, "in", "saved.mercer").unlink()

    def test_every_machine_that_plays(self):
        """Each machine for classes or numbers fits points drawn by hand, with nothing but its name given."""
        labels = POINTS | {"labels": list("ababab")}
        for machine in self.expect(self.server.get("/catalog"), 200)["machines"]:
            task = machine["task"]
            if task not in ("classes", "numbers"):
                continue
            points = labels if task == "classes" else POINTS
            body = fit(machine=machine["name"], options={}, points=points, slot=f"t/{machine['name']}", exhibits=["none"])
            with self.subTest(machine["name"]):
                self.assertEqual(self.fitted(body)[0], "done")

    def test_bad_fits(self):
        self.expect(self.server.post("/fit", fit(machine="rigde")), 422, "ridge")
        self.expect(self.server.post("/fit", fit(expr="rbf(")), 422, "column 5")
        self.expect(self.server.post("/fit", fit(points={"x": [], "y": []})), 422, "no points")
        self.expect(self.server.post("/fit", fit(points=None, data="d999")), 404)
        wine = self.expect(self.server.post("/files/open", {"name": "wine.csv"}), 200)["id"]
        name, failed = self.fitted(fit(points=None, data=wine, target="colour", slot="t/bad"))
        self.assertEqual(name, "failed")
        self.assertIn("colour", failed["error"])
        name, failed = self.fitted(fit(options={"rigde": "1"}, slot="t/bad", seq=2))
        self.assertEqual((name, "ridge" in failed["error"]), ("failed", True))

    def test_latest_wins(self):
        events = self.server.events(slot="t/drag")
        for seq in range(1, 61):
            self.expect(self.server.post("/fit", fit(slot="t/drag", seq=seq, params={"rbf.ell": 0.1 + seq / 10})), 202)
        ends = {}
        for name, data in events:
            if name in ("done", "replaced"):
                ends[data["seq"]] = name
            if len(ends) == 60:
                break
        events.close()
        self.assertEqual(ends[60], "done")

    def test_cancel(self):
        n = 1500
        points = {"x": [i / 50 for i in range(n)], "y": [(i * 7919 % 1000) / 1000 for i in range(n)]}
        events = self.server.events(slot="t/long")
        body = fit(slot="t/long", machine="gp", options={"starts": 50}, points=points, learn=True)
        job = self.expect(self.server.post("/fit", body), 202)["job"]
        events.until(lambda name, _: name == "progress")
        self.expect(self.server.post(f"/jobs/{job}/cancel", {}), 200)
        self.assertEqual(events.until(lambda name, _: name != "progress")[0], "cancelled")
        events.close()
        self.assertEqual(self.expect(self.server.get(f"/jobs/{job}"), 200)["state"], "cancelled")
        self.expect(self.server.post("/jobs/999999/cancel", {}), 404)

    def test_files_open_while_something_learns(self):
        n = 1500
        points = {"x": [i / 50 for i in range(n)], "y": [(i * 7919 % 1000) / 1000 for i in range(n)]}
        events = self.server.events(slot="t/learning")
        body = fit(slot="t/learning", machine="gp", options={"starts": 50}, points=points, learn=True)
        job = self.expect(self.server.post("/fit", body), 202)["job"]
        events.until(lambda name, _: name == "progress")
        upload = {"Content-Type": "application/octet-stream", "X-Mercer-Name": "two.csv"}
        self.expect(self.server.post("/data", b"a,b\n1,2\n3,4\n", headers=upload), 200)
        self.expect(self.server.get("/files"), 200)
        self.expect(self.server.post("/files/open", {"name": "wine.csv"}), 200)
        # All of it before the fit is done: whoever waits for that is not answered meanwhile.
        self.assertEqual(self.expect(self.server.get(f"/jobs/{job}"), 200)["state"], "running")
        self.expect(self.server.post(f"/jobs/{job}/cancel", {}), 200)
        events.until(lambda name, _: name != "progress")
        events.close()

    def test_events_again(self):
        """Who connects again hears what was missed, and nothing twice."""
        first = self.server.events(slot="t/again")
        self.assertEqual(next(iter(first))[0], "hello")
        first.close()
        begun = self.server.events(slot="t/again")
        last = next(iter(begun))[1]["last"]
        begun.close()
        for seq in (1, 2, 3):
            self.fitted(fit(slot="t/again", seq=seq))
        again = self.server.events(after=last, slot="t/again")
        seqs = []
        for name, data in again:
            if name == "done":
                seqs.append(data["seq"])
            if seqs[-1:] == [3]:
                break
        self.assertEqual(seqs, [1, 2, 3])
        fresh = self.server.events(slot="t/again")
        self.fitted(fit(slot="t/again", seq=4))
        self.assertEqual(fresh.until(lambda name, _: name == "done")[1]["seq"], 4)
        fresh.close()
        by_header = Events(self.server, after=last, slot="t/again", headers={"Last-Event-ID": str(again.last - 1)})
        self.assertEqual(by_header.until(lambda name, _: name == "done")[1]["seq"], 3)
        again.close()
        by_header.close()

    # ---- the API as it is written down ----

    def test_openapi(self):
        """Every path of the file is answered, every route of the server is in the file."""
        listed = json.loads(ROOT.joinpath("docs", "studio-openapi.json").read_text())["paths"]
        status, _, routes = self.server.get("/routes")
        self.assertEqual(status, 200)
        ours = {(one["method"].lower(), one["path"]) for one in routes["routes"]}
        theirs = {(method, path) for path, methods in listed.items() for method in methods}
        self.assertEqual(ours, {(method, path_with_stars(path)) for method, path in theirs})
        for method, path in theirs:
            answers = set(listed[path][method]["responses"])
            if "text/event-stream" in json.dumps(listed[path][method]["responses"]):
                continue
            concrete = path.replace("{id}", "0")
            connection = self.server.connect()
            connection.request(method.upper(), concrete, body="{}" if method == "post" else None,
                               headers=self.server.headers(method.upper()))
            got = connection.getresponse()
            got.read()
            connection.close()
            self.assertIn(str(got.status), answers, f"{method} {path}")


def path_with_stars(path):
    return path.replace("{id}", "*")


class Life(unittest.TestCase):
    """Servers that come and go."""

    def test_two_servers_and_a_port_that_is_taken(self):
        with Server(COMMAND) as one, Server(COMMAND, port=one.port) as two:
            self.assertNotEqual(one.port, two.port)
            self.assertEqual(two.get("/session")[0], 200)
            self.assertEqual(one.get("/session", headers={"X-Mercer-Key": two.key})[0], 403)
            for _ in range(100):
                if two.words:
                    break
                time.sleep(0.05)
            self.assertIn("taken", "".join(two.words))

    def test_interrupt(self):
        with Server(COMMAND) as server:
            events = server.events()
            server.process.send_signal(signal.SIGINT)
            self.assertEqual(server.process.wait(10), 0)
            events.close()

    def test_interrupt_while_fitting(self):
        with Server(COMMAND) as server:
            n = 1500
            points = {"x": [i / 50 for i in range(n)], "y": [(i * 7919 % 1000) / 1000 for i in range(n)]}
            server.post("/fit", fit(machine="gp", options={"starts": 50}, points=points, learn=True))
            time.sleep(0.3)
            server.process.send_signal(signal.SIGINT)
            self.assertEqual(server.process.wait(20), 0)

    def test_killed_and_started_again(self):
        with Server(COMMAND) as first:
            events = first.events()
            first.process.kill()
            first.process.wait()
            events.close()
            with Server(COMMAND, port=first.port) as second:
                self.assertEqual(second.port, first.port)
                self.assertEqual(second.get("/session", headers={"X-Mercer-Key": first.key})[0], 403)

    def test_what_cannot_be_opened(self):
        got = subprocess.run([COMMAND, "studio", "/nowhere/at/all", "--no-open"], capture_output=True, text=True)
        self.assertEqual((got.returncode, got.stdout), (1, ""))
        self.assertIn("no such file or folder", got.stderr)

    def test_idle_costs_nothing(self):
        with Server(COMMAND) as server:
            events = server.events()
            next(iter(events))
            before = cpu_ticks(server.process.pid)
            time.sleep(1)
            self.assertLessEqual(cpu_ticks(server.process.pid) - before, 1)
            events.close()


def cpu_ticks(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


if __name__ == "__main__":
    unittest.main()
