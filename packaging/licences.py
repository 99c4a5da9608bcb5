"""Lists name, version and licence of each distribution installed here, as its metadata says."""

from __future__ import annotations

import sys
from importlib.metadata import Distribution, distributions

CLASSIFIER = "License :: "
MAX_LETTERS = 80


def licence_of(distribution: Distribution) -> str:
    """Return the SPDX expression, else the classifiers, else the field's first line."""
    said = distribution.metadata
    classes = [each for each in said.get_all("Classifier", []) if each.startswith(CLASSIFIER)]
    named = "; ".join(each.rpartition(" :: ")[2] for each in classes)
    first = said.get("License", "").strip().partition("\n")[0]
    return said.get("License-Expression") or named or first[:MAX_LETTERS] or "not said"


def main() -> None:
    """Print a line with tabs for each distribution, in the order of their names."""
    rows = {(each.name.lower(), each.version, licence_of(each)) for each in distributions()}
    sys.stdout.writelines("\t".join(row) + "\n" for row in sorted(rows))


if __name__ == "__main__":
    main()
