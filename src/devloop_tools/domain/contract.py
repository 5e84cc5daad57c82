"""The names of `domain.contracts.contract`, for modules that still look for them here."""

from devloop_tools.domain.contracts.contract import (
    CONTRACT_ELEMENT as CONTRACT_ELEMENT,
    Contract as Contract,
    ContractHashed as ContractHashed,
    EmittedEvent as EmittedEvent,
    Endpoint as Endpoint,
    ErrorCode as ErrorCode,
    Function as Function,
    JsonSchema as JsonSchema,
    MAX_CONTRACT_BYTES as MAX_CONTRACT_BYTES,
    Parameter as Parameter,
    contract_in as contract_in,
    hash_of as hash_of,
    parse_contract as parse_contract,
    read_contract as read_contract,
    unit_page as unit_page,
)
