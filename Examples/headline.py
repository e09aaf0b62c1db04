"""Loads the summary of a run into pandas and draws the time of one save by the number of records.

    python3 Examples/headline.py [RUN/summary.csv] [PICTURE.png]

Needs pandas and matplotlib (Debian: python3-pandas, python3-matplotlib). Editors show the three parts as cells.
"""

# %% Load: the columns are explained in docs/reference/columns.md.
import sys

import matplotlib
import pandas as pd

source = sys.argv[1] if len(sys.argv) > 1 else "results/example/summary.csv"
picture = sys.argv[2] if len(sys.argv) > 2 else "headline.png"
rows = pd.read_csv(source, keep_default_na=False, na_values=[""])

# %% Select: saves of one record that were measured, each backend as it ships.
saves = rows[(rows.workload == "save-one") & (rows.durability == "shipped") & (rows.status == "ok")]
saves = saves.assign(backend=saves.backend + saves.options.fillna("").map(lambda options: options and f":{options}"))
times = saves.pivot_table(index="records", columns="backend", values="p50_ns") / 1e6
print(times.round(3).to_string())

# %% Draw: both axes are logarithmic, because times differ by factors of thousands.
matplotlib.use("Agg")
axes = times.plot(logx=True, logy=True, marker="o", figsize=(9, 5), title="One small save, median")
axes.set(xlabel="records in the store", ylabel="ms")
axes.figure.savefig(picture, dpi=150, bbox_inches="tight")
