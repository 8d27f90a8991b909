"""The supplier API's document tells the truth: requests are made from it, and answers are held against it."""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi import checks

from servers.supplier_api.actions import orders
from servers.supplier_api.actions import suppliers as actions
from servers.supplier_api.api import api
from servers.tests import suppliers

schema = schemathesis.openapi.from_dict(json.loads(json.dumps(api.get_openapi_schema())))


READS = {"GET": (checks.negative_data_rejection,)}
"""Parameters that nobody knows are ignored, and the key is sent here whatever the request was made without."""


@pytest.fixture
def supplier(transactional_db):
    return suppliers.supplier(notify_url="")


@pytest.fixture
def known(supplier):
    """Ids that exist, so that requests made from the document reach further than a 404."""
    order = suppliers.order(suppliers.api_for(supplier), suppliers.listing(supplier), 2)
    orders.accept(order=order)
    orders.make_available(order=order, count=1)
    return {"order_id": order.pk, "ticket_id": order.tickets.exclude(retrievable_at=None).get().pk}


@pytest.mark.django_db(transaction=True)
@schema.parametrize()
@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_every_operation_keeps_to_it(case, urls, supplier, known):
    for name in case.path_parameters or {}:
        if name in known and case.meta.generation.mode.value == "positive":
            case.path_parameters[name] = known[name]
    case.call_and_validate(
        base_url=urls[0].removesuffix("/api/v1"),
        headers={"Authorization": f"Bearer {actions.issue(supplier=supplier).orders_key}"},
        # a listing that exists, and is on sale, is more than a schema can say
        excluded_checks=[checks.positive_data_acceptance, *READS.get(case.method, ())],
    )
