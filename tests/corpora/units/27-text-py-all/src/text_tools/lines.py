import textwrap


def wrap(text: str, width: str) -> list[str]:
    return textwrap.wrap(text, int(width))


def unwrap(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines)


def indent(text: str, by: int) -> str:
    return textwrap.indent(text, " " * by)
