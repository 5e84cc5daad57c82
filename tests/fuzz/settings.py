"""How long is fuzzed: briefly and always the same in CI, longer and anew by `make fuzz`."""

import os

from hypothesis import HealthCheck, settings

EXAMPLES = int(os.environ.get("DEVLOOP_FUZZ_EXAMPLES", "0"))

fuzzed = settings(
    max_examples=EXAMPLES or 20,
    derandomize=not EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

fuzzed_slowly = settings(fuzzed, max_examples=EXAMPLES // 20 or 3)
"""For what starts a process for each example."""
