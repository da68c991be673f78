"""Ten minutes of a busy page: the server goes on and its memory stays where it was. MERCER names the command."""
import os
import pathlib
import random
import sys
import time

from client import Server

MINUTES = float(os.environ.get("MERCER_SOAK_MINUTES", "10"))
SETTLED, ALLOWED = 0.2, 64 << 20  # of the time, before which caches fill; bytes that it may grow after


def resident(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main():
    draw = random.Random(1)
    with Server(os.environ["MERCER"]) as server:
        begun, settled, seq = time.monotonic(), None, 0
        events = server.events()
        while (spent := time.monotonic() - begun) < 60 * MINUTES:
            if settled is None and spent > SETTLED * 60 * MINUTES:
                settled = resident(server.process.pid)
            seq += 1
            data = server.post("/data", {"builtin": draw.choice(["moons", "rings", "curve", "sinc"])})[2]
            classes = data["suggested"]["task"] == "classes"
            machine = draw.choice(["svc", "logistic", "gpc"] if classes else ["gp", "ridge", "svr"])
            body = {"slot": f"soak/{seq % 3}", "seq": seq, "data": data["id"], "machine": machine, "options": {},
                    "expr": f"rbf(ell={draw.uniform(0.1, 3):.3f})", "learn": False}
            status, _, job = server.post("/fit", body)
            assert status == 202, job
            if draw.random() < 0.2:
                server.post(f"/jobs/{job['job']}/cancel", {})
            name, told = events.until(lambda name, data: data.get("job") == job["job"] and name != "progress")
            assert name in ("done", "cancelled"), told
            server.post("/check", {"expr": draw.choice(["rbf(ell=1)", "exp(-abs(x-y)^3)", "rbf("])})
            if seq % 50 == 0:  # a tab closes, another opens
                events.close()
                events = server.events()
        grown = resident(server.process.pid) - settled
        print(f"{seq} fits, memory {settled >> 20} MB, then {grown / 2**20:+.1f} MB")
        events.close()
        return 0 if grown < ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
