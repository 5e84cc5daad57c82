"""The names of `domain.documents.search_terms`, for modules that still look for them here."""

from devloop_tools.domain.documents.search_terms import (
    CJK as CJK,
)
from devloop_tools.domain.documents.search_terms import (
    MAX_WORD as MAX_WORD,
)
from devloop_tools.domain.documents.search_terms import (
    index_terms as index_terms,
)
from devloop_tools.domain.documents.search_terms import (
    query_terms as query_terms,
)
