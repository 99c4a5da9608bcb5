"""Builds dist/reasonloom.mcpb: the package and its manifest, packed by MCPB's own tool."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
MCPB = "@anthropic-ai/mcpb@2.1.2"
BUNDLE = ROOT / "dist" / "reasonloom.mcpb"


def stage(folder: Path) -> None:
    """Lay out in `folder` what the bundle holds: what uv needs to build and start the package."""
    shutil.copytree(
        ROOT / "reasonloom", folder / "reasonloom", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    shutil.copy(ROOT / "packaging" / "mcpb" / "manifest.json", folder / "manifest.json")


def main() -> None:
    """Build the bundle.

    Raises:
        SystemExit: npx is missing, or the tool refuses the manifest or the bundle.
    """
    npx = shutil.which("npx")
    if npx is None:
        sys.exit("npx is missing: the bundle is made by an npm package (any Node has it)")
    BUNDLE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        stage(Path(place))
        for words in (["validate", f"{place}/manifest.json"], ["pack", place, str(BUNDLE)]):
            done = subprocess.run([npx, "--yes", MCPB, *words], check=False)  # noqa: S603
            if done.returncode:
                sys.exit(f"mcpb {words[0]} failed")


if __name__ == "__main__":
    main()
