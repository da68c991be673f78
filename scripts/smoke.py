"""What an installed package must be able to do, without the tree beside it: test-package.sh runs it."""
import importlib.metadata
import pathlib
import tempfile

import numpy as np

import mercer

package = pathlib.Path(mercer.__file__).parent
assert "site-packages" in package.parts, package
assert importlib.metadata.version("mercer") == mercer.__version__
files = [str(file) for file in importlib.metadata.files("mercer")]
assert sum("licences/" in file for file in files) >= 8, files  # of what is linked in
libraries = [pathlib.Path(file).name for file in files if ".so" in file and "_core" not in file]
assert len({name.partition(".so")[0] for name in libraries}) == len(libraries), libraries

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 2))
y = np.where((X**2).sum(axis=1) > 1.4, "far", "near")
svc = mercer.SVC(C=10).fit(X, y)
assert svc.score(X, y) > 0.95
with tempfile.TemporaryDirectory() as folder:
    svc.save(f"{folder}/m.mercer")
    assert (mercer.load(f"{folder}/m.mercer").predict(X) == svc.predict(X)).all()
    mercer.report(svc, X, y).save(f"{folder}/r.html")
    page = pathlib.Path(f"{folder}/r.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html") and len(page) > 100_000

gp = mercer.GaussianProcessRegressor("rbf(ell=1)").fit(X, np.sin(X[:, 0]))
mean, std = gp.predict(X[:5], return_std=True)
assert abs(mean - np.sin(X[:5, 0])).max() < 0.1 and (std > 0).all()
assert mercer.KernelKNN(1, kernel="spectrum(k=2)").fit(["abab", "ccc"], [0, 1]).predict(["ab"])[0] == 0
assert "kernel" in repr(mercer.rbf(ell=1).proof())
assert not mercer.check("sin(x)*cos(y)")
print(f"mercer {mercer.__version__} from {package} works")
