"""One page as far as checks need it: its tags, links, ids and anchors, with their places."""

from functools import cached_property

from devloop_tools.domain.html.links import links_of
from devloop_tools.domain.html.markup import Kind, LineNumbers, tokens
from devloop_tools.domain.html.outline import outline_of, require_shallow


class PageFacts:
    """What stands in `source`. Raises PageFault where it is nested too deep to be a page."""

    def __init__(self, path: str, source: str) -> None:
        self.path = path
        self.source = source
        self.tokens = tokens(source)
        require_shallow(self.tokens, path)
        self.lines = LineNumbers(source)
        self.links = list(links_of(source, self.tokens))
        self.ids = [
            (value, token)
            for token in self.tokens
            if token.kind is Kind.OPEN and (value := token.get("id"))
        ]

    @cached_property
    def anchors(self) -> frozenset[str]:
        """What a fragment may name: written ids, and those that the page's script gives."""
        named = {token.get("name") for token in self.tokens if token.name == "a"}
        page = outline_of(self.source, self.tokens)
        given = {heading.id for heading in page.headings}
        sections = {section.anchor for section in page.sections}
        written = {value for value, _ in self.ids}
        return frozenset(written | given | sections | {name for name in named if name})
