from django.urls import path

from organizer.alerts import views

app_name = "alerts"
urlpatterns = [
    path("", views.index, name="index"),
    path("acknowledge/", views.acknowledge_many, name="acknowledge_many"),
    path("settings/", views.settings, name="settings"),
    path("settings/mails/", views.mails, name="mails"),
    path("settings/webhook/", views.hook, name="hook"),
    path("settings/webhook/secret/", views.renew_secret, name="renew_secret"),
    path("settings/webhook/switch/", views.switch_hook, name="switch_hook"),
    path("settings/webhook/remove/", views.remove_hook, name="remove_hook"),
    path("settings/webhook/test/", views.test_hook, name="test_hook"),
    path("settings/webhook/log/", views.log, name="log"),
    path("settings/webhook/log/<uuid:sending_id>/again/", views.send_again, name="send_again"),
    path("<uuid:alert_id>/", views.detail, name="detail"),
    path("<uuid:alert_id>/acknowledge/", views.acknowledge, name="acknowledge"),
    path("<uuid:alert_id>/ignore/", views.ignore, name="ignore"),
    path("<uuid:alert_id>/resolve/", views.resolve, name="resolve"),
    path("<uuid:alert_id>/reopen/", views.reopen, name="reopen"),
]
