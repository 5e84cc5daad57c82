"""Small units, each full of the ways in which one framework lets things be written."""

from pathlib import Path

import pytest
from tests.domain.contract_check.measuring import compared, measured

UNITS = sorted((Path(__file__).parents[2] / "fixtures" / "units").iterdir())


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_differs_from_its_contract_where_it_does(unit: Path, tmp_path: Path) -> None:
    score = measured(tmp_path, unit)
    assert score.found == score.there
    assert score.placed == score.there, "with another file or line"


def test_each_difference_says_how(tmp_path: Path) -> None:
    units = {unit.name: unit for unit in UNITS}
    flask = compared(tmp_path, units["flask-blueprints"])
    assert [one.why for one in flask.differing] == ["answers 200, the contract's success is 204"]
    types = compared(tmp_path, units["ts-shapes"])
    reasons = {one.name: one.why for one in types.differing}
    assert reasons == {
        "Square": "side: number in the contract, string here",
        "Color": "blue among the values, not in the contract",
    }
    functions = compared(tmp_path, units["python-types"])
    reasons = {one.name: one.why for one in functions.differing}
    assert reasons["cancel"] == "order_id: integer in the contract, string here"
    assert reasons["Receipt"] == "number is required in the contract, optional here"
    assert reasons["Address"] == "zip is missing; zip_code is not in the contract"
