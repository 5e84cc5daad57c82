"""The names of `domain.documents.units`, for modules that still look for them here."""

from devloop_tools.domain.documents.units import (
    MAX_UNITS as MAX_UNITS,
)
from devloop_tools.domain.documents.units import (
    UNITS_FILE as UNITS_FILE,
)
from devloop_tools.domain.documents.units import (
    Unit as Unit,
)
from devloop_tools.domain.documents.units import (
    Units as Units,
)
from devloop_tools.domain.documents.units import (
    units_in as units_in,
)
