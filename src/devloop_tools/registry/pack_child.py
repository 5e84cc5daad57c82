"""The child of `pack_trial`: imports the packs it is given and writes a line about each."""

import os
import sys
from pathlib import Path

from devloop_tools.registry.pack_verdicts import to_json
from devloop_tools.registry.packs import examine
from devloop_tools.toolkit.json_schema import schema_fault


def main(verdicts: int, paths: list[str]) -> None:
    """Write a line to `verdicts` when ready, then for each pack its verdict as JSON."""
    os.set_inheritable(verdicts, False)
    # Loads what judges schemas, so that the first pack isn't charged for it.
    schema_fault({"type": "object"})
    os.write(verdicts, b"ready\n")
    for path in paths:
        os.write(verdicts, to_json(examine(Path(path))) + b"\n")
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
