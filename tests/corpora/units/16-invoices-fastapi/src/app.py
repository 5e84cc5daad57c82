"""Invoices, drafts and what was paid of them."""

from fastapi import FastAPI, HTTPException

from src.schema import Invoice, InvoiceDraft, Payment

app = FastAPI()
invoices: dict[str, Invoice] = {}


@app.get("/invoices", response_model=list[Invoice])
def all_invoices():
    return list(invoices.values())


@app.post("/invoices", response_model=Invoice)
def new_invoice(draft: InvoiceDraft):
    number = f"R{len(invoices) + 1:05}"
    invoices[number] = Invoice(number=number, **draft.model_dump())
    return invoices[number]


@app.get("/invoices/{number}", response_model=Invoice)
def one_invoice(number: str):
    """Clients pay with `@app.post("/invoices/{number}/payments")` once that exists."""
    try:
        return invoices[number]
    except KeyError:
        raise HTTPException(status_code=404) from None


def _paid(invoice: Invoice, payments: list[Payment]) -> bool:
    return len(payments) >= len(invoice.lines)
