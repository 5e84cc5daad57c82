import re
from datetime import UTC, datetime

from devloop_tools.domain.clock import timestamp


def test_time_is_utc_with_milliseconds_and_z() -> None:
    before = datetime.now(UTC)
    text = timestamp()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    told = datetime.fromisoformat(text)
    assert abs((told - before).total_seconds()) < 60
