"""Carbon dioxide over Mauna Loa: a Gaussian process takes the record apart and continues it.

    python examples/co2.py [picture.png]
"""
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas

import mercer

# Monthly means from 1958 to 2020, in parts per million; time is in years from 1990.
record = pandas.read_csv(Path(__file__).parents[1] / "data" / "co2" / "mauna_loa_scripps_monthly_1958_2020.csv")
dates = pandas.to_datetime(record["Date"])
years = (dates.dt.year + (dates.dt.month - 0.5) / 12).to_numpy().reshape(-1, 1) - 1990
co2 = record["CO2"].to_numpy()

# What we believe of the curve, one term each: a rise that itself gets steeper, a season whose shape may drift over a
# century, and wanderings of a few years. The straight part of the rise is the mean function. The period of the season
# is known, and fixed; all other numbers are only where the search begins.
kernel = (
    1e-4 * mercer.linear() ** 2
    + 4 * mercer.rbf(ell=100) * mercer.periodic(period=mercer.fixed(1), ell=1)
    + 0.25 * mercer.matern(nu=0.5, ell=1)
)
print("k =", kernel)

# We hide everything after 2010 and see how well it is foretold.
known = years[:, 0] < 2010 - 1990
model = mercer.GaussianProcessRegressor(kernel, mean="linear", n_restarts_optimizer=0)
model.fit(years[known], co2[known])
print("learnt:", model.kernel_)
print(f"noise: {np.sqrt(model.noise_):.2f} ppm")

mean, std = model.predict(years[~known], return_std=True, include_noise=True)
error = co2[~known] - mean
print(f"2010 to 2020, unseen: error {np.sqrt(np.mean(error**2)):.2f} ppm,"
      f" {100 * np.mean(np.abs(error) < 1.96 * std):.0f} % inside the 95 % band")

# The whole and its parts: the sum of the lower pictures is the uppermost. A band is wide where one part could give to
# another without the sum changing.
axes = mercer.plot.gp(model, years[known], co2[known], at=np.linspace(1958, 2024, 800) - 1990, components=True)
axes[0].plot(years[~known], co2[~known], ".", color="tab:red", markersize=2, label="not shown to the model")
axes[0].legend(frameon=False, fontsize="small")
axes[0].set_ylabel("ppm")
axes[-1].set_xlabel("years from 1990")

figure = axes[0].figure
figure.savefig(sys.argv[1], dpi=80) if len(sys.argv) > 1 else plt.show()
