"""The names of `domain.contracts.contract`, for modules that still look for them here."""

from devloop_tools.domain.contracts.contract import (
    CONTRACT_ELEMENT as CONTRACT_ELEMENT,
)
from devloop_tools.domain.contracts.contract import (
    MAX_CONTRACT_BYTES as MAX_CONTRACT_BYTES,
)
from devloop_tools.domain.contracts.contract import (
    Contract as Contract,
)
from devloop_tools.domain.contracts.contract import (
    ContractHashed as ContractHashed,
)
from devloop_tools.domain.contracts.contract import (
    EmittedEvent as EmittedEvent,
)
from devloop_tools.domain.contracts.contract import (
    Endpoint as Endpoint,
)
from devloop_tools.domain.contracts.contract import (
    ErrorCode as ErrorCode,
)
from devloop_tools.domain.contracts.contract import (
    Function as Function,
)
from devloop_tools.domain.contracts.contract import (
    JsonSchema as JsonSchema,
)
from devloop_tools.domain.contracts.contract import (
    Parameter as Parameter,
)
from devloop_tools.domain.contracts.contract import (
    contract_in as contract_in,
)
from devloop_tools.domain.contracts.contract import (
    hash_of as hash_of,
)
from devloop_tools.domain.contracts.contract import (
    parse_contract as parse_contract,
)
from devloop_tools.domain.contracts.contract import (
    read_contract as read_contract,
)
from devloop_tools.domain.contracts.contract import (
    unit_page as unit_page,
)
