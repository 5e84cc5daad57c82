from typing import NotRequired, TypedDict

__all__ = ["Holiday"]


class Holiday(TypedDict):
    day: str
    name: str
    region: NotRequired[str]


_known: list[Holiday] = [
    {"day": "2027-01-01", "name": "New Year"},
    {"day": "2027-05-01", "name": "Labour Day", "region": "north"},
]
