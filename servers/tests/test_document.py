"""The OpenAPI document tells the truth: requests are made from it, good and bad, and answers are held against it."""

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi import checks

from servers.event_api.api import api
from servers.organizations import actions, scopes
from servers.tests import factories

# as a client reads it, and not as the server holds it
schema = schemathesis.openapi.from_dict(json.loads(json.dumps(api.get_openapi_schema())))


READS = {"GET": (checks.negative_data_rejection,)}
"""Parameters that nobody knows are ignored, and the key is sent here whatever the request was made without."""


@pytest.fixture
def known(organization):
    """Ids that exist, so that requests made from the document reach further than a 404."""
    event = factories.event(organization)
    ticket_class = factories.ticket_class(event)
    return {
        "event_id": event.pk,
        "ticket_class_id": ticket_class.pk,
        "attendee_id": factories.attendee(ticket_class, "pending_approval").pk,
    }


@pytest.mark.django_db(transaction=True)
@schema.parametrize()
@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_every_operation_keeps_to_it(case, urls, organization, known):
    key = actions.create_key(organization=organization, scopes=list(scopes.ALL), limit="100000/10")
    for name in case.path_parameters or {}:
        if name in known and case.meta.generation.mode.value == "positive":
            case.path_parameters[name] = known[name]
    # some rules a schema cannot say: an end is after its start, a currency is one of ISO 4217
    case.call_and_validate(
        base_url=urls[0].removesuffix("/api/v1"),
        headers={"X-API-KEY": key.secret},
        excluded_checks=[checks.positive_data_acceptance, *READS.get(case.method, ())],
    )
