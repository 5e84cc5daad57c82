from pathlib import Path

import pytest
from tests.domain.reports.recorded import lay_out


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sample projects that reports were recorded in, by tool."""
    made = {
        name: lay_out(name, tmp_path_factory.mktemp(name)) for name in ("vitest", "jest", "pytest")
    }
    return {**made, **{f"vitest-{number}": made["vitest"] for number in range(1, 6)}}
