import pytest

from organizer.accounts.models import Membership, Organization, Role, User

pytestmark = pytest.mark.django_db


def test_hides_another_organization(client):
    stranger = User.objects.create_user("sam@stranger.test", "correct horse battery")
    Organization.objects.create(slug="demo", name="Demo")
    other = Organization.objects.create(slug="other", name="Other")
    Membership.objects.create(organization=other, user=stranger, role=Role.OWNER)
    client.force_login(stranger)
    assert client.get("/o/demo/").status_code == 404
