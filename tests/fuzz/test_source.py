"""Whatever lies there as source: no grammar ends the process, none holds it."""

import random
import subprocess
import sys

import pytest
from tests.fuzz import source_files
from tests.fuzz.settings import EXAMPLES


@pytest.mark.parametrize("suffix", [".js", ".ts", ".tsx", ".py"])
def test_every_file_is_read_in_time(suffix: str) -> None:
    seed = random.randrange(1 << 32) if EXAMPLES else 1
    words = [sys.executable, "-m", source_files.__name__, suffix, str(seed), str(EXAMPLES or 15)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60 + 2 * EXAMPLES)
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, f"{last}: {done.stderr[-2000:]}"
