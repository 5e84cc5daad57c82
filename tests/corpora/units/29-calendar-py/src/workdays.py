from __future__ import annotations

import asyncio
from datetime import date, timedelta

from holidays_of import Holiday, _known

__all__ = ["Holiday", "fetch_holidays", "is_holiday", "next_workday"]


def next_workday(day: str) -> str:
    """The next day that is neither a weekend's nor a holiday everywhere."""
    following = date.fromisoformat(day) + timedelta(days=1)
    while following.weekday() > 4 or is_holiday(following.isoformat(), "*"):
        following += timedelta(days=1)
    return following.isoformat()


def is_holiday(day: str, region: str) -> bool:
    def here(holiday: Holiday) -> bool:
        return holiday.get("region", "*") in ("*", region)

    return any(holiday["day"] == day and here(holiday) for holiday in _known)


async def fetch_holidays(region: str, year: int) -> list[Holiday]:
    await asyncio.sleep(0)
    return [one for one in _known if one["day"].startswith(str(year)) and region]


def not_public(day: str) -> int:
    return date.fromisoformat(day).isocalendar().week
