"""What is worded once says each time what it is given."""

from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.accounts.models import Organization, Session
from organizer.kit import quick

pytestmark = pytest.mark.django_db


def by_key(organization_id, since):
    return Organization.objects.filter(pk=organization_id, created_at__gte=since).values_list("slug")


def computed(organization_id, since):
    return by_key(organization_id, since + timedelta(hours=1))


def test_is_asked_anew_with_other_values(cast, django_assert_num_queries):
    before, after = timezone.now() - timedelta(days=1), timezone.now() + timedelta(days=1)
    with django_assert_num_queries(3):
        assert quick.worded(by_key, cast.organization.pk, before) == [("harbour",)]
        assert quick.worded(by_key, cast.elsewhere.pk, before) == [("elsewhere",)]
        assert quick.worded(by_key, cast.elsewhere.pk, after) == []


def test_refuses_a_value_that_would_be_kept_for_ever(cast):
    with pytest.raises(ValueError, match="computed computes"):
        quick.worded(computed, cast.organization.pk, timezone.now())


def test_takes_a_value_twice(cast):
    def twice(now):
        return Session.objects.filter(expire_date__gte=now).exclude(expire_date=now).values_list("pk")

    assert quick.worded(twice, timezone.now()) == []
