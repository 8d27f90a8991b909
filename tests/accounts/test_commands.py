import stat
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from organizer.accounts import passwords
from organizer.accounts.models import AuditEntry, Membership, Organization, User

pytestmark = pytest.mark.django_db


def run(*words, **options):
    out = StringIO()
    call_command(*words, stdout=out, **options)
    return out.getvalue()


class TestCreateOrganization:
    def test_makes_an_owner_with_a_password_that_is_printed_once(self):
        said = run("create_organization", "salon", name="Salon", owner="Olive@Salon.test")
        password = said.strip().rpartition(" ")[2]
        owner = User.objects.get(email="olive@salon.test")
        assert owner.check_password(password)
        assert owner.memberships.get().role == "owner"

    def test_takes_the_password_from_the_environment(self, monkeypatch):
        monkeypatch.setenv("FOYER_OWNER_PASSWORD", "from the environment")
        said = run("create_organization", "salon", name="Salon", owner="olive@salon.test")
        assert "from the environment" not in said
        assert User.objects.get().check_password("from the environment")

    def test_keeps_the_password_of_somebody_who_is_there(self, cast):
        run("create_organization", "salon", name="Salon", owner="olive@harbour.test")
        assert User.objects.get(email="olive@harbour.test").check_password("correct horse battery")

    @pytest.mark.parametrize("slug", ["harbour", "no spaces", "ümlaut", ""])
    def test_makes_nothing_by_half(self, cast, slug):
        with pytest.raises(CommandError):
            run("create_organization", slug, name="X", owner="new@salon.test")
        assert not User.objects.filter(email="new@salon.test").exists()

    def test_refuses_an_address_that_is_none(self, db):
        with pytest.raises(CommandError):
            run("create_organization", "salon", name="Salon", owner="olive")
        assert not Organization.objects.exists()


@pytest.fixture
def data(settings, tmp_path, monkeypatch):
    monkeypatch.delenv("FOYER_DEMO_PASSWORD", raising=False)
    settings.DATA = tmp_path
    return tmp_path


class TestSeedDemo:
    def test_changes_nothing_the_second_time(self, data):
        run("seed_demo")
        before = (list(Membership.objects.values_list("user__email", "role")), AuditEntry.objects.count())
        run("seed_demo")
        assert before == (list(Membership.objects.values_list("user__email", "role")), AuditEntry.objects.count())
        assert {role for _, role in before[0]} == {"owner", "admin", "manager", "door", "viewer"}

    def test_keeps_the_password_where_only_its_owner_reads(self, data):
        said = run("seed_demo")
        file = data / passwords.DEMO_FILE
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert file.read_text().strip() not in said
        assert User.objects.get(email="owner@demo.test").check_password(file.read_text().strip())

    def test_follows_the_password_that_the_environment_names_and_keeps_it_for_later_starts(self, data, monkeypatch):
        run("seed_demo")
        monkeypatch.setenv("FOYER_DEMO_PASSWORD", "chosen by the operator")
        run("seed_demo")
        monkeypatch.delenv("FOYER_DEMO_PASSWORD")
        run("seed_demo")
        assert passwords.demo(data) == "chosen by the operator"
        assert User.objects.get(email="door@demo.test").check_password("chosen by the operator")
