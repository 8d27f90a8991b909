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


def test_sends_the_page_and_not_its_part_to_the_form(client, db):
    asked = {"HTTP_HX_REQUEST": "true", "HTTP_HX_CURRENT_URL": "http://testserver/o/demo/guests/?q=x"}
    answer = client.get("/o/demo/", **asked)
    assert answer["HX-Redirect"] == "/accounts/login/?next=%2Fo%2Fdemo%2Fguests%2F%3Fq%3Dx"


def test_frames_a_page_with_six_queries(client, cast, django_assert_max_num_queries):
    client.force_login(cast.olive)
    with django_assert_max_num_queries(7):  # session, person, memberships, notices, outbox, who waits; the page's own
        client.get("/o/harbour/settings/members/")
