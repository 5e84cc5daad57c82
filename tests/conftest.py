"""What holds for all tests: nothing depends on how busy the machine is, or on who started them."""

import gc
import signal

from hypothesis import HealthCheck, settings

settings.register_profile(
    "busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy machine")

# A shell starts background jobs with SIGINT ignored, and their children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What is loaded once tests are collected stays to the end: searched for garbage at each turn,
# it costs a tenth of the whole run.
gc.set_threshold(50_000, 20, 20)

collect_ignore_glob = ["fixtures/*"]
"""Samples whose tests are run by other runners, and fail."""


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
