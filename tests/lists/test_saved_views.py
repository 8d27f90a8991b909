"""Views of a list under a name: one's own, shared, first; the address stays what says what is shown."""

import pytest

from organizer.accounts.models import AuditEntry, Role
from organizer.lists import actions
from organizer.lists.models import FirstView, SavedView
from tests.support import mirror
from tests.support.cast import person

ALL = "/o/harbour/guests/"
SAVE = "/o/harbour/views/save/"


@pytest.fixture
def event(cast):
    return mirror.event(mirror.connection(cast.organization))


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def vera(cast):
    return person("Vera", cast.organization, Role.VIEWER)


def at(event):
    return f"/o/harbour/events/{event.pk}/guests/"


def save(client, name, query, *, event=None, **more):
    of = {"listing": "event-guests", "about": str(event.pk)} if event else {"listing": "guests"}
    return client.post(SAVE, {"name": name, "query": query} | of | more)


def shown(client, address):
    return [(row.view.name, row.current) for row in client.get(address).context["views"].rows]


def of(name):
    return SavedView.objects.get(name=name)


class TestSaving:
    def test_keeps_filter_search_order_and_columns(self, olive, event):
        query = "?q=ada&status=valid&since=2026-03-01&sort=name&columns=name&columns=code"
        answer = save(olive, "  Still   to come ", query, event=event)
        assert answer["Location"] == at(event) + query
        assert shown(olive, at(event) + query) == [("Still to come", True)]
        assert shown(olive, f"{at(event)}?status=valid") == [("Still to come", False)]

    def test_keeps_what_the_list_knows_and_no_more(self, olive, event):
        save(olive, "Odd", "?status=valid&after=xyz&next=//evil.test&columns=nonsense&sort=payload", event=event)
        assert of("Odd").query == "?status=valid&columns=name"

    def test_offers_it_only_where_there_is_something_to_keep(self, olive, event):
        assert "Save view" not in olive.get(at(event)).content.decode()
        assert "Save view" in olive.get(f"{at(event)}?status=valid").content.decode()
        save(olive, "Going", "?status=valid", event=event)
        assert "Save view" not in olive.get(f"{at(event)}?status=valid").content.decode()

    def test_is_of_every_events_list_unless_it_names_classes(self, olive, event):
        other = mirror.event(event.connection)
        press = mirror.ticket_class(event)
        save(olive, "Going", "?status=valid", event=event)
        save(olive, "Press", f"?class={press.pk}", event=event)
        assert [name for name, _ in shown(olive, f"{at(event)}?q=x")] == ["Going", "Press"]
        assert [name for name, _ in shown(olive, f"{at(other)}?q=x")] == ["Going"]
        assert shown(olive, f"{ALL}?q=x") == []

    @pytest.mark.parametrize("name", ["", "   ", "x" * 61, "\u0301"])
    def test_asks_again_for_a_name_that_is_none_and_loses_nothing(self, olive, event, name):
        answer = save(olive, name, "?status=valid&q=ada", event=event, shared="on")
        assert answer.status_code == 422
        said = answer.content.decode()
        assert 'name="query" value="?status=valid&amp;q=ada"' in said
        assert "checked" in said
        assert not SavedView.objects.exists()

    def test_says_that_a_name_is_taken_and_offers_to_replace(self, olive, event):
        save(olive, "Going", "?status=valid", event=event)
        answer = save(olive, "going", "?status=invited", event=event)
        assert answer.status_code == 422
        assert "You have a view of this name already." in answer.content.decode()
        assert "Replace the one there is" in answer.content.decode()
        assert of("Going").query == "?status=valid"
        assert save(olive, "Going", "?status=invited", event=event, replace="1").status_code == 302
        assert of("Going").query == "?status=invited"

    def test_has_an_end(self, olive, event):
        for number in range(actions.MOST):
            save(olive, f"View {number}", "?status=valid")
        answer = save(olive, "One more", "?status=valid")
        assert answer.status_code == 422
        assert "delete one first" in answer.content.decode()

    @pytest.mark.parametrize("lists", [{"listing": "nothing"}, {"listing": "event-guests", "about": "x"}, {}])
    def test_knows_lists_only(self, olive, lists):
        assert olive.post(SAVE, {"name": "x", "query": "?q=a", **lists}).status_code == 404


class TestSharing:
    def test_shows_others_what_is_shared_and_nothing_else(self, olive, client, cast, vera, event):
        save(olive, "Mine", "?status=valid", event=event)
        save(olive, "Ours", "?status=invited", event=event, shared="on")
        mine, ours = of("Mine"), of("Ours")
        client.force_login(vera)
        assert [name for name, _ in shown(client, f"{at(event)}?q=x")] == ["Ours"]
        for address in ("", "delete/", "open-with/"):
            method = client.get if not address else client.post
            assert method(f"/o/harbour/views/{mine.pk}/{address}").status_code == 404
        assert client.get(f"/o/harbour/views/{ours.pk}/").status_code == 403
        assert client.post(f"/o/harbour/views/{ours.pk}/delete/").status_code == 403
        assert SavedView.objects.count() == 2

    def test_is_not_for_who_may_only_look(self, client, vera, event):
        client.force_login(vera)
        save(client, "Mine", "?status=valid", event=event, shared="on")
        assert not of("Mine").shared
        client.post(f"/o/harbour/views/{of('Mine').pk}/", {"name": "Still mine", "shared": "on"})
        assert not of("Still mine").shared
        assert "Share with everybody" not in client.get(f"{at(event)}?q=x").content.decode()

    def test_lets_two_people_use_one_name(self, olive, client, cast, event):
        save(olive, "Going", "?status=valid", event=event, shared="on")
        client.force_login(cast.max)
        assert save(client, "Going", "?status=valid&sort=name", event=event, shared="on").status_code == 302
        assert SavedView.objects.count() == 2

    def test_is_undone_for_everybody(self, olive, client, cast, event):
        save(olive, "Ours", "?status=valid", event=event, shared="on")
        ours = of("Ours")
        client.force_login(cast.max)
        client.post(f"/o/harbour/views/{ours.pk}/open-with/", {"on": "1"})
        client.force_login(cast.olive)
        client.post(f"/o/harbour/views/{ours.pk}/", {"name": "Ours"})
        client.force_login(cast.max)
        assert client.get(at(event)).status_code == 200
        assert not FirstView.objects.exists()

    def test_stays_in_its_organization(self, olive, client, cast, event):
        save(olive, "Ours", "?status=valid", shared="on")
        client.force_login(cast.sam)
        assert shown(client, "/o/elsewhere/guests/?q=x") == []
        assert client.post(f"/o/elsewhere/views/{of('Ours').pk}/open-with/", {"on": "1"}).status_code == 404


class TestOpeningFirst:
    def test_opens_the_list_with_it_by_its_own_address(self, olive, event):
        save(olive, "Going", "?status=valid&sort=name", event=event, first="on")
        assert olive.get(at(event))["Location"] == f"{at(event)}?status=valid&sort=name"
        assert olive.get(f"{at(event)}?status=").status_code == 200
        assert olive.get(f"{at(event)}?q=ada").status_code == 200

    def test_leaves_a_way_to_everybody(self, olive, event):
        mirror.guest(event)
        save(olive, "Going", "?status=valid", event=event, first="on")
        page = olive.get(f"{at(event)}?status=valid").content.decode()
        assert f'href="{at(event)}?status="' in page  # the tab "All", and what clears the filters
        assert f'href="{at(event)}"' not in page.split('id="guest-list"')[0].split("<h1>")[1]

    def test_is_one_persons_habit(self, olive, client, cast, event):
        save(olive, "Ours", "?status=valid", event=event, shared="on", first="on")
        client.force_login(cast.max)
        assert client.get(at(event)).status_code == 200

    def test_is_one_view_and_can_be_taken_back(self, olive, event):
        save(olive, "Going", "?status=valid", event=event, first="on")
        save(olive, "Invited", "?status=invited", event=event, first="on")
        assert olive.get(at(event))["Location"] == f"{at(event)}?status=invited"
        back = olive.post(f"/o/harbour/views/{of('Invited').pk}/open-with/", {"on": "0", "about": str(event.pk)})
        assert back["Location"] == f"{at(event)}?status=invited"
        assert olive.get(at(event)).status_code == 200

    def test_prefers_the_events_own(self, olive, event):
        press = mirror.ticket_class(event)
        save(olive, "Press", f"?class={press.pk}", event=event, first="on")
        save(olive, "Going", "?status=valid", event=event, first="on")
        assert olive.get(at(event))["Location"] == f"{at(event)}?class={press.pk}"
        other = mirror.event(event.connection)
        assert olive.get(at(other))["Location"] == f"{at(other)}?status=valid"


class TestChanging:
    def test_renames(self, olive, event):
        save(olive, "Going", "?status=valid", event=event)
        view = of("Going")
        assert "Going" in olive.get(f"/o/harbour/views/{view.pk}/?about={event.pk}").content.decode()
        answer = olive.post(f"/o/harbour/views/{view.pk}/", {"name": "Coming", "about": str(event.pk)})
        assert answer["Location"] == f"{at(event)}?status=valid"
        assert shown(olive, f"{at(event)}?status=valid") == [("Coming", True)]

    def test_refuses_the_name_of_another(self, olive, event):
        save(olive, "Going", "?status=valid", event=event)
        save(olive, "Invited", "?status=invited", event=event)
        answer = olive.post(f"/o/harbour/views/{of('Invited').pk}/", {"name": "GOING"})
        assert answer.status_code == 422
        assert 'value="GOING"' in answer.content.decode()
        assert of("Invited").sort_name == "invited"

    def test_lets_a_manager_tidy_what_is_shared(self, olive, client, cast, event):
        save(olive, "Ours", "?status=valid", event=event, shared="on")
        client.force_login(cast.max)
        client.post(f"/o/harbour/views/{of('Ours').pk}/delete/", {"about": str(event.pk)})
        assert not SavedView.objects.exists()

    def test_says_in_the_trail_what_others_see_of_it(self, olive, event):
        save(olive, "Secret diet", "?q=vegan", event=event)
        save(olive, "Ours", "?status=valid", event=event, shared="on")
        olive.post(f"/o/harbour/views/{of('Ours').pk}/delete/")
        said = [
            (entry.verb, entry.target_name)
            for entry in AuditEntry.objects.filter(verb__startswith="view.").order_by("id")
        ]
        assert said == [("view.saved", "a view of their own"), ("view.saved", "Ours"), ("view.deleted", "Ours")]
        assert "vegan" not in str(list(AuditEntry.objects.values()))


class TestStored:
    @pytest.mark.parametrize(
        "query",
        [
            "?class=nonsense",
            "?since=9999-99-99",
            "javascript:alert(1)",
            "?status=%00",
            "x" * 20_000,
            "",
            "?" + "a=1&" * 5_000,
        ],
        ids=lambda query: query[:20],
    )
    def test_a_bad_value_harms_nobody(self, olive, cast, event, query):
        """Whoever may write to the database, or an older version of ours."""
        of_ = {"organization": cast.organization, "owner": cast.olive, "listing": "event-guests"}
        view = SavedView.objects.create(**of_, name="Bad", sort_name="bad", query=query)
        actions.open_with(view=view, by=cast.olive)
        row = olive.get(f"{at(event)}?status=").context["views"].rows[0]
        assert row.query.startswith("?")
        assert olive.get(at(event), follow=True).status_code == 200

    def test_costs_the_list_one_query(self, olive, event, django_assert_max_num_queries):
        for number in range(12):
            save(olive, f"View {number}", f"?q=ada{number}", event=event, shared="on")
        mirror.guest(event)
        olive.get(f"{at(event)}?status=")
        with django_assert_max_num_queries(10):
            olive.get(f"{at(event)}?status=valid")


def test_a_list_that_reads_itself_again_closes_no_menu(olive, event):
    mirror.guest(event)
    htmx = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "guest-list"}
    by_itself = olive.get(f"{at(event)}?status=valid", HTTP_HX_TRIGGER="guest-list", **htmx).content.decode()
    by_a_tab = olive.get(f"{at(event)}?status=valid", **htmx).content.decode()
    for part in ('id="list-views"', 'id="guest-chips"', 'id="list-export"'):
        assert part not in by_itself
        assert part in by_a_tab
