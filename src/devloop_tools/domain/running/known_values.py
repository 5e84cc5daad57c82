"""What placeholders stand for in one project: leases, units, granted environment, saved values."""

from collections.abc import Mapping
from typing import Any

import orjson

from devloop_tools.domain.running.placeholders import Sources
from devloop_tools.domain.running.ports import PortLeases
from devloop_tools.domain.running.records import UnitRecords
from devloop_tools.storage.database import Database
from devloop_tools.storage.workspace import Workspace

MAX_SAVED = 10_000


class SavedValues:
    """What cases have saved for later ones; running a case again replaces its values."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> dict[tuple[str, str], Any]:
        """By case and name."""
        if not self._database.is_there():
            return {}
        query = "SELECT case_id, name, value FROM saved_values ORDER BY case_id, name LIMIT ?"
        rows = self._database.rows(query, (MAX_SAVED,))
        return {(str(case), str(name)): orjson.loads(str(value)) for case, name, value in rows}

    def replace(self, case_id: str, values: Mapping[str, Any]) -> None:
        """The values of one case, in place of those of its last run."""
        rows = [(case_id, name, orjson.dumps(value).decode()) for name, value in values.items()]
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM saved_values WHERE case_id = ?", (case_id,))
            connection.executemany("INSERT INTO saved_values VALUES (?, ?, ?)", rows)


def known_values(
    workspace: Workspace, database: Database, variables: Mapping[str, Any] | None = None
) -> Sources:
    """The sources as they are at this moment."""
    units = UnitRecords(workspace.root, workspace.agent).all()
    return Sources(
        agent=workspace.agent,
        ports={lease.name: lease.port for lease in PortLeases(database).live()},
        units={record.unit_id: record.port for record in units if record.lives},
        env=dict(workspace.sandbox.env),
        saved=SavedValues(database).all(),
        vars=variables or {},
    )
