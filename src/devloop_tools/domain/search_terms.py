"""The names of `domain.documents.search_terms`, for modules that still look for them here."""

from devloop_tools.domain.documents.search_terms import (
    CJK as CJK,
    MAX_WORD as MAX_WORD,
    index_terms as index_terms,
    query_terms as query_terms,
)
