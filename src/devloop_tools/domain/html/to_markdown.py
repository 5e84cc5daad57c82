"""HTML as Markdown. The one module that knows html-to-markdown, loaded when it is first used."""


def markdown_of(html: str) -> str:
    """`html` as CommonMark with tables; code keeps its line breaks and its language."""
    from html_to_markdown import ConversionOptions, convert

    options = ConversionOptions(
        bullets="-",
        escape_asterisks=True,
        extract_metadata=False,
        compact_tables=True,
        br_in_tables=True,
        autolinks=False,
    )
    return (convert(html, options).content or "").strip() + "\n"
