from django.urls import path

from organizer.webhooks import views

app_name = "webhooks"
urlpatterns = [
    path("", views.index, name="index"),
    path("news/", views.news, name="news"),
    path("export/", views.export, name="export"),
    path("deliveries/<int:delivery_id>/", views.detail, name="detail"),
    path("deliveries/<int:delivery_id>/body/", views.download, name="download"),
    path("deliveries/<int:delivery_id>/erase/", views.erase, name="erase"),
    path("deliveries/<int:delivery_id>/note/", views.note, name="note"),
    path("deliveries/<int:delivery_id>/read-again/", views.read_again, name="read_again"),
    path("rejected/", views.rejected, name="rejected"),
    path("suppliers/", views.vendors, name="vendors"),
    path("suppliers/new/", views.new_vendor, name="new_vendor"),
    path("suppliers/<uuid:vendor_id>/", views.vendor, name="vendor"),
    path("suppliers/<uuid:vendor_id>/checklist/", views.checklist, name="checklist"),
    path("suppliers/<uuid:vendor_id>/secrets/", views.secrets, name="secrets"),
    path("suppliers/<uuid:vendor_id>/test/", views.test, name="test"),
    path("suppliers/<uuid:vendor_id>/edit/", views.edit_vendor, name="edit_vendor"),
    path("suppliers/<uuid:vendor_id>/switch/", views.switch, name="switch"),
    path("suppliers/<uuid:vendor_id>/rotate/", views.rotate, name="rotate"),
    path("suppliers/<uuid:vendor_id>/end-old/", views.end_old_secrets, name="end_old_secrets"),
]
