"""Run recorded cases against the installed server: run_cases.py FILE.jsonl [--only A,B01]."""

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.cases.runner import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], partial(print, flush=True)))
