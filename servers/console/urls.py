from django.urls import include, path

from servers.console import public, views

app_name = "console"
urlpatterns = [
    path("", views.home, name="home"),
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("password/", views.password, name="password"),
    path("e/<str:event_id>", public.event, name="event"),
    path("suppliers/", include("servers.console.suppliers.urls")),
    path("o/<slug:slug>/", views.organization, name="organization"),
    path("o/<slug:slug>/mail/", views.mailbox, name="mailbox"),
    path("o/<slug:slug>/mail/<int:mail_id>/", views.mail, name="mail"),
    path("o/<slug:slug>/settings/keys/", views.keys, name="keys"),
    path("o/<slug:slug>/settings/keys/new/", views.new_key, name="new_key"),
    path("o/<slug:slug>/settings/keys/<int:key_id>/revoke/", views.revoke_key, name="revoke_key"),
    path("o/<slug:slug>/settings/members/", views.members, name="members"),
]
