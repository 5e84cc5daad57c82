"""The names of `domain.documents.stems`, for modules that still look for them here."""

from devloop_tools.domain.documents.stems import (
    RULES as RULES,
)
from devloop_tools.domain.documents.stems import (
    Rule as Rule,
)
from devloop_tools.domain.documents.stems import (
    stem as stem,
)
