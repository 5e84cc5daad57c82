"""The names of `domain.documents.units`, for modules that still look for them here."""

from devloop_tools.domain.documents.units import (
    MAX_UNITS as MAX_UNITS,
    UNITS_FILE as UNITS_FILE,
    Unit as Unit,
    Units as Units,
    units_in as units_in,
)
