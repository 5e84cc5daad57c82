"""The names of `domain.documents.site`, for modules that still look for them here."""

from devloop_tools.domain.documents.site import (
    ARCHIVE_FOLDER as ARCHIVE_FOLDER,
)
from devloop_tools.domain.documents.site import (
    INDEX_PAGE as INDEX_PAGE,
)
from devloop_tools.domain.documents.site import (
    MAX_CHAPTERS as MAX_CHAPTERS,
)
from devloop_tools.domain.documents.site import (
    UNITS_FOLDER as UNITS_FOLDER,
)
from devloop_tools.domain.documents.site import (
    Chapter as Chapter,
)
from devloop_tools.domain.documents.site import (
    DocId as DocId,
)
from devloop_tools.domain.documents.site import (
    Emitter as Emitter,
)
from devloop_tools.domain.documents.site import (
    SiteFile as SiteFile,
)
from devloop_tools.domain.documents.site import (
    SiteName as SiteName,
)
from devloop_tools.domain.documents.site import (
    digest as digest,
)
from devloop_tools.domain.documents.site import (
    language_of as language_of,
)
from devloop_tools.domain.documents.site import (
    repeated_id as repeated_id,
)
