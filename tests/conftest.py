"""How hypothesis behaves in all tests: nothing it finds depends on how busy the machine is."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy machine")

collect_ignore_glob = ["fixtures/*"]
"""Samples whose tests are run by other runners, and fail."""
