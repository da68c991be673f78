"""Dragging a parameter in the studio: 200 fits with their picture over loopback, one after the other, as a page asks for
them. Prints the 50th and 95th percentile from the request to the picture."""
import math
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "studio"))
from client import Server  # noqa: E402

SIZES, STEPS = (500, 1000, 2000), 200
TARGETS = {500: 60, 1000: 120, 2000: 300}  # ms, 95th percentile


def curve(n, draw):
    x = [10 * i / n for i in range(n)]
    return {"machine": "gp", "options": {"noise": "0.01", "signal": "1"}, "exhibits": ["curve"],
            "csv": "x,y\n" + "".join(f"{v},{math.sin(3 * v) + 0.1 * draw.gauss(0, 1)}\n" for v in x)}


def moons(n, draw):
    rows = []
    for i in range(n):
        angle, upper = math.pi * draw.random(), i % 2 == 0
        x, y = (math.cos(angle), math.sin(angle)) if upper else (1 - math.cos(angle), 0.5 - math.sin(angle))
        rows.append(f"{x + 0.2 * draw.gauss(0, 1)},{y + 0.2 * draw.gauss(0, 1)},{'ab'[i % 2]}\n")
    return {"machine": "svc", "options": {"C": "1"}, "exhibits": ["regions"], "csv": "x1,x2,class\n" + "".join(rows)}


def drag(server, problem):
    upload = {"Content-Type": "application/octet-stream", "X-Mercer-Name": "bench.csv"}
    data = server.post("/data", problem["csv"].encode(), headers=upload)[2]["id"]
    slot = f"bench/{data}"
    events = iter(server.events(slot=slot))
    next(events)
    connection = server.connect()
    seconds = []
    for step in range(STEPS):
        body = {"slot": slot, "seq": step, "data": data, "machine": problem["machine"], "options": problem["options"],
                "expr": "rbf(ell=1)", "params": {"rbf.ell": 0.3 + step / STEPS}, "learn": False,
                "exhibits": problem["exhibits"]}
        begun = time.perf_counter()
        status, _, told = server.post("/fit", body, connection=connection)
        assert status == 202, told
        name, data_of = "gone", f"the server ended the stream; its exit code: {server.process.poll()}"
        for name, data_of in events:
            if name in ("done", "failed"):
                break
        assert name == "done" and data_of["exhibits"], data_of
        seconds.append(time.perf_counter() - begun)
    return sorted(seconds)


def add_options(parser):
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)


def main(options, figures):
    with Server(options.command) as server:
        for make in (curve, moons):
            for n in options.sizes:
                problem = make(n, random.Random(n))
                seconds = drag(server, problem)
                half, most = (1000 * seconds[int(len(seconds) * share)] for share in (0.5, 0.95))
                target = TARGETS.get(n, math.inf)
                figures.row(f"{problem['machine']} + {problem['exhibits'][0]}, n={n:,}: 95 % of the fits", f"{most:.1f} ms",
                            f"<= {target} ms", most <= target, f"half of them {half:.1f} ms")
