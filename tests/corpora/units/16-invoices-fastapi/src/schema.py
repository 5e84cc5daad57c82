from pydantic import BaseModel, Field


class Line(BaseModel):
    text: str = Field(max_length=200)
    cents: str


class InvoiceDraft(BaseModel):
    customer: str
    lines: list[Line]


class Invoice(BaseModel):
    number: str
    customer: str
    lines: list[Line]


class Payment(BaseModel):
    cents: int = Field(gt=0)
