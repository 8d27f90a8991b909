"""The operator's admin: who has an organization here, and who belongs to it. Keys are made by their members."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from servers.console.forms import OperatorSignInForm
from servers.jobs.models import Job, Pulse
from servers.organizations.models import ApiKey, Member, Organization, User

admin.site.site_header = "Foyer event server"
admin.site.site_title = "Foyer event server"
admin.site.index_title = "Operator"

admin.site.login_form = OperatorSignInForm
admin.site.unregister(Group)  # nobody here has rights by group
admin.site.register(User, UserAdmin)


class MemberInline(admin.TabularInline):
    model = Member
    extra = 1
    autocomplete_fields = ["user"]


class ReadOnly(admin.ModelAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Organization)
class OrganizationAdmin(admin.ModelAdmin):
    list_display = ["name", "slug", "created_at"]
    search_fields = ["name", "slug"]
    inlines = [MemberInline]


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnly):
    list_display = ["__str__", "name", "organization", "created_at", "revoked_at"]
    list_filter = ["organization"]


@admin.register(Job)
class JobAdmin(ReadOnly):
    list_display = ["id", "kind", "state", "attempts", "due_at", "last_error"]
    list_filter = ["state", "kind"]


@admin.register(Pulse)
class PulseAdmin(ReadOnly):
    list_display = ["process", "at", "oldest_due_at"]
