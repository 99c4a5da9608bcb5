"""Clusters in a subprocess, so that the server stays responsive and the memory is released.

Run with `-m`, this module reads vectors from standard input and writes labels to standard output,
both in NumPy's npz format.
"""

import asyncio
import io
import os
import sys
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from reasonloom.errors import InternalFault, SettingMistake

MISSING = (
    "clusters need scikit-learn, which is not installed: pip install 'reasonloom[models]'; "
    "everything else works without it"
)
NOT_INSTALLED = 3
"""Exit code of the child if scikit-learn is not installed."""

NICENESS = 10


async def cluster_in_subprocess(
    vectors: NDArray[np.float32], *, floor: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return what `density_clusters` does; the child is killed if the task is cancelled.

    Raises:
        SettingMistake: scikit-learn is not installed.
        InternalFault: the child failed.
    """
    sent = io.BytesIO()
    np.savez(sent, vectors=vectors, floor=np.float64(floor), seed=np.int64(seed))
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "reasonloom.nodes.mental_models.basins.cluster_process",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        received, _ = await child.communicate(sent.getvalue())
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await asyncio.shield(child.wait())
    if child.returncode == NOT_INSTALLED:
        raise SettingMistake(MISSING)
    if child.returncode:
        raise InternalFault(f"clustering ended with {child.returncode}")
    answer = np.load(io.BytesIO(received), allow_pickle=False)
    return answer["labels"], answer["strengths"]


def main() -> int:
    """Cluster the vectors from standard input; return the exit code."""
    try:
        from reasonloom.nodes.mental_models.basins.clustering import density_clusters  # noqa: PLC0415
    except ImportError:
        return NOT_INSTALLED
    with suppress(OSError):
        os.nice(NICENESS)
    given = np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False)
    labels, strengths = density_clusters(
        given["vectors"], floor=float(given["floor"]), seed=int(given["seed"])
    )
    answer = io.BytesIO()
    np.savez(answer, labels=labels, strengths=strengths)
    sys.stdout.buffer.write(answer.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main())
