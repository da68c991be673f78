"""Bars, callbacks, and what may stop a fit."""
import sys

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer._progress import Listener, callback_of
from mercer.svm import SVC, SVR


def long_problem():
    rng = np.random.default_rng(0)
    return rng.standard_normal((3000, 30)), rng.integers(0, 2, 3000)


LONG = {"kernel": "linear", "C": 1e7, "tol": 1e-9}  # minutes, if nobody stops it


def test_callback_sees_progress_and_may_stop():
    seen = []

    def callback(stage, fraction):
        seen.append((stage, fraction))
        return len(seen) < 3

    with pytest.warns(ConvergenceWarning, match="interrupted"):
        machine = SVC(callback=callback, **LONG).fit(*long_problem())
    assert len(seen) == 3
    assert all(isinstance(stage, str) and 0 <= fraction <= 1 for stage, fraction in seen)
    assert machine.report_["stopped"] == "interrupted" and machine.fit_status_ == 1
    assert machine.predict(long_problem()[0]).shape == (3000,)  # what was found so far is a model


def test_errors_of_a_callback_reach_the_caller():
    def callback(stage, fraction):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        SVR(callback=callback, **LONG).fit(*long_problem())
    with pytest.raises(TypeError, match="callback"):
        SVC(callback=3).fit(*long_problem())


def test_what_a_callback_returns():
    for answer, stops in [(None, False), (True, False), (0, False), (0.0, False), ("", False), (False, True),
                          (np.bool_(False), True)]:
        assert (Listener("SVC", 0, lambda stage, fraction: answer)("svc", 0.5) is False) == stops
    assert callback_of(SVC()) is None


def test_verbose_shows_a_bar(capsys):
    listener = callback_of(SVC(verbose=1))
    for fraction in (0.0, 0.5, 1.0):
        listener("svc", fraction)
    listener("svc: probabilities", 0.25)
    listener.close()
    listener.close()
    shown = capsys.readouterr().err
    assert "SVC" in shown and "50" in shown and "probabilities" in shown


def test_the_bar_stands_where_the_fit_is(monkeypatch):
    tqdm = pytest.importorskip("tqdm.auto")
    made = []
    monkeypatch.setattr(tqdm, "tqdm", lambda *given, own=tqdm.tqdm, **more: made.append(own(*given, **more)) or made[-1])
    listener = callback_of(SVC(verbose=1))
    for fraction in (0.1, 0.35, 0.8):
        listener("svc", fraction)
        assert made[0].n == pytest.approx(100 * fraction)
    listener.close()


def test_bar_without_tqdm(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    listener = callback_of(SVC(verbose=1))
    listener("svc", 0.5)
    listener("svc: probabilities", 0.25)
    listener.close()
    lines = capsys.readouterr().err.split("\n")
    assert lines[0] == "\rSVC [###############...............]  50 %"
    assert lines[1].startswith("\rSVC: probabilities [#######") and lines[2] == ""


def test_bar_of_a_real_fit_is_closed(capsys, monkeypatch):
    asked = []

    def callback(stage, fraction):  # a fit that has been heard three times has drawn its bar
        asked.append(fraction)
        return len(asked) < 3

    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.warns(ConvergenceWarning):
        SVC(verbose=1, callback=callback, **LONG).fit(*long_problem())
    shown = capsys.readouterr().err
    assert shown.startswith("\rSVC [") and shown.endswith(" %\n") and shown.count("\r") == 3


def test_quiet_fits_are_silent(capfd):
    SVC().fit([[0.0], [1.0]], [0, 1])
    assert capfd.readouterr() == ("", "")


def test_a_callback_that_stops_a_direct_machine_leaves_nothing_behind():
    X = np.random.default_rng(0).normal(size=(4000, 5))
    machine = mercer.KernelRidge(kernel="rbf(ell=1)", callback=lambda stage, fraction: False)
    with pytest.raises(RuntimeError, match="callback stopped"):
        machine.fit(X, X[:, 0])
    assert not hasattr(machine, "model_")


def test_the_report_says_where_the_seconds_went():
    rng = np.random.default_rng(0)
    report = SVC().fit(rng.standard_normal((200, 3)), rng.integers(0, 2, 200)).report_
    assert set(report["stages"]) >= {"prepare", "rows", "solve", "certificate"}
    assert all(seconds >= 0 for seconds in report["stages"].values())
    assert sum(report["stages"].values()) == pytest.approx(report["seconds"])
