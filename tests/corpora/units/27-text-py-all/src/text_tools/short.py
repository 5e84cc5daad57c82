def cut(text: str, limit: int, ending: str) -> str:
    return text if len(text) <= limit else text[: limit - len(ending)] + ending
