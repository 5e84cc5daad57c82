"""The names of `domain.documents.site`, for modules that still look for them here."""

from devloop_tools.domain.documents.site import (
    ARCHIVE_FOLDER as ARCHIVE_FOLDER,
    Chapter as Chapter,
    DocId as DocId,
    Emitter as Emitter,
    INDEX_PAGE as INDEX_PAGE,
    MAX_CHAPTERS as MAX_CHAPTERS,
    SiteFile as SiteFile,
    SiteName as SiteName,
    UNITS_FOLDER as UNITS_FOLDER,
    digest as digest,
    language_of as language_of,
    repeated_id as repeated_id,
)
