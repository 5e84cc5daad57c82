"""The child of `pack_trial`: imports the packs it is given and writes a line about each."""

import os
import sys
from pathlib import Path

from devloop_tools.registry.pack_verdicts import to_json
from devloop_tools.registry.packs import examine


def main(paths: list[str]) -> None:
    """Write a line when ready, then for each pack its verdict as JSON."""
    verdicts = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.write(verdicts, b"ready\n")
    for path in paths:
        os.write(verdicts, to_json(examine(Path(path))) + b"\n")
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
