"""A client of `mercer studio` for tests and benches: the standard library alone."""
import http.client
import json
import subprocess
import threading


class Server:
    """The command on a free port. Use as a context."""

    def __init__(self, command, *words, port=0):
        self.process = subprocess.Popen([command, "studio", *words, "--port", str(port), "--no-open", "--json"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = ""
        while not said.rstrip().endswith("}"):
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"the server did not start: {self.process.stderr.read()}")
            said += line
        told = json.loads(said)
        self.port, self.token = told["port"], told["address"].split("token=")[1]
        self.host = f"127.0.0.1:{self.port}"
        self.words = []
        self.reader = threading.Thread(target=lambda: self.words.extend(self.process.stderr), daemon=True)
        self.reader.start()
        self.key = None

    def __enter__(self):
        self.enter()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(20)
        self.reader.join(5)
        self.process.stdout.close()
        self.process.stderr.close()

    def enter(self):
        """Exchanges the token for the key."""
        status, _, told = self.ask("POST", "/session", {"token": self.token}, key=None)
        assert status == 200, status
        self.key = told["key"]

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def headers(self, method, given=None, key=True):
        out = {"Host": self.host}
        if method == "POST":
            out |= {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
        if key and self.key:
            out["X-Mercer-Key"] = self.key
        out |= given or {}
        return {name: value for name, value in out.items() if value is not None}

    def ask(self, method, path, body=None, headers=None, key=True, connection=None):
        """(status, headers, body): JSON is read, other bodies are bytes."""
        own = connection or self.connect()
        data = json.dumps(body) if isinstance(body, (dict, list)) else body
        own.request(method, path if path.startswith("//") or not path else f"/api/v1{path}", body=data,
                    headers=self.headers(method, headers, key))
        answer = own.getresponse()
        got = answer.read()
        if connection is None:
            own.close()
        if answer.headers.get("Content-Type") == "application/json":
            got = json.loads(got)
        return answer.status, answer.headers, got

    def post(self, path, body, **more):
        return self.ask("POST", path, body, **more)

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def events(self, after=None, slot=""):
        return Events(self, after, slot)


class Events:
    """The stream of events: iterate over (name, data)."""

    def __init__(self, server, after=None, slot="", headers=None):
        self.connection = server.connect()
        query = f"?slot={slot}" + (f"&after={after}" if after is not None else "")
        self.connection.request("GET", f"/api/v1/events{query}", headers=server.headers("GET", headers))
        self.answer = self.connection.getresponse()
        self.last = 0
        self.comments = 0

    def __iter__(self):
        name, data = "", ""
        while True:
            line = self.answer.readline().decode()
            if not line:
                return
            line = line.rstrip("\n")
            if line.startswith("id: "):
                self.last = int(line[4:])
            elif line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                data = line[6:]
            elif line.startswith(":"):
                self.comments += 1
            elif name:
                yield name, json.loads(data)
                name, data = "", ""

    def until(self, wanted):
        """The data of the first event for which wanted(name, data) is true."""
        for name, data in self:
            if wanted(name, data):
                return name, data
        raise AssertionError("the stream ended")

    def close(self):
        self.answer.close()
        self.connection.close()
