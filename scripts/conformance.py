"""Run the MCP conformance suites: conformance.py [PART OF A SUITE'S NAME] [--scenario NAME]."""

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.conformance.suites import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], partial(print, flush=True)))
