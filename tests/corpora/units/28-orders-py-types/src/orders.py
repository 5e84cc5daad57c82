from __future__ import annotations

from dataclasses import dataclass, field
from typing import NotRequired, TypedDict


@dataclass(frozen=True)
class Address:
    street: str
    city: str
    zip: str


@dataclass
class OrderLine:
    sku: str
    pieces: float
    price: float


class Order(TypedDict):
    id: str
    lines: list[OrderLine]
    ship_to: Address
    note: NotRequired[str]


class Parcel(TypedDict):
    order: str
    weight: float
    tracking: str


@dataclass
class Coupon:
    code: str
    percent: int = 10


@dataclass
class _Basket:
    lines: list[OrderLine] = field(default_factory=list)
