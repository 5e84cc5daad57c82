"""What HTML may hold in a page, enforced by nh3, which is loaded when first needed.

Scripts and styles go with their content; handlers, `javascript:` and unknown elements go.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from devloop_tools.domain.html.markup import Kind, Token, tokens
from devloop_tools.domain.html.outline import require_shallow
from devloop_tools.domain.html.pieces import faithful

if TYPE_CHECKING:  # start-up must not pay for it
    from nh3 import Cleaner

_TAGS = frozenset(
    """a abbr article aside b bdi bdo blockquote br caption cite code col colgroup data dd del
    details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd
    li mark ol p picture pre q rp rt ruby s samp section small source span strong sub summary sup
    table tbody td tfoot th thead time tr u ul var video audio wbr
    svg g defs marker path rect circle ellipse line polyline polygon text tspan use symbol
    clipPath linearGradient radialGradient stop desc title""".split()
)
_WITH_CONTENT = frozenset({"script", "style", "iframe", "object", "embed", "noscript", "template"})
_EVERYWHERE = frozenset(
    """id class title lang dir role hidden viewBox width height x y x1 y1 x2 y2 cx cy r rx ry d
    points fill stroke stroke-width stroke-dasharray stroke-linecap stroke-linejoin opacity
    fill-opacity transform text-anchor dominant-baseline font-size font-family font-weight
    marker-start marker-mid marker-end markerWidth markerHeight orient refX refY offset stop-color
    gradientUnits preserveAspectRatio""".split()
)
_SOME: dict[str, frozenset[str]] = {
    "a": frozenset({"href", "hreflang", "download"}),
    "img": frozenset({"src", "alt", "srcset", "loading"}),
    "source": frozenset({"src", "srcset", "type", "media"}),
    "video": frozenset({"src", "controls", "poster"}),
    "audio": frozenset({"src", "controls"}),
    "td": frozenset({"colspan", "rowspan", "headers", "align"}),
    "th": frozenset({"colspan", "rowspan", "headers", "scope", "align"}),
    "col": frozenset({"span"}),
    "colgroup": frozenset({"span"}),
    "ol": frozenset({"start", "reversed", "type"}),
    "li": frozenset({"value"}),
    "time": frozenset({"datetime"}),
    "data": frozenset({"value"}),
    "details": frozenset({"open"}),
    "blockquote": frozenset({"cite"}),
    "q": frozenset({"cite"}),
    "use": frozenset({"href"}),
}
_SCHEMES = frozenset({"http", "https", "mailto", "tel"})
MAX_WARNINGS = 20


def sanitised(markup: str, field: str) -> tuple[str, list[str]]:
    """`markup` with what may stand in a page, and a line for each thing that went.

    Raises PageFault where it is nested too deep.
    """
    before = tokens(markup)
    require_shallow(before, field)
    clean = faithful(_cleaner().clean(markup))
    went = Counter(_marks(before)) - Counter(_marks(tokens(clean)))
    lines = [f"removed {mark}" + (f" ({n} times)" if n > 1 else "") for mark, n in went.items()]
    return clean, lines[:MAX_WARNINGS]


@cache
def _cleaner() -> "Cleaner":
    from nh3 import Cleaner

    return Cleaner(
        tags=set(_TAGS),
        clean_content_tags=set(_WITH_CONTENT),
        attributes={"*": set(_EVERYWHERE), **{tag: set(names) for tag, names in _SOME.items()}},
        generic_attribute_prefixes={"data-", "aria-"},
        url_schemes=set(_SCHEMES),
        link_rel=None,
    )


def _marks(found: list[Token]) -> Iterator[str]:
    for token in found:
        if token.kind is not Kind.OPEN:
            continue
        yield f"<{token.name}>"
        for name, _ in token.attributes:
            yield f"{name} of <{token.name}>"
