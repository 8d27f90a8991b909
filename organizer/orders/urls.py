from django.urls import path

from organizer.orders import views

app_name = "orders"
urlpatterns = [
    path("orders/", views.index, name="index"),
    path("orders/new/", views.new, name="new"),
    path("orders/bulks/new/", views.new_bulk, name="new_bulk"),
    path("orders/bulks/<uuid:bulk_id>/", views.bulk, name="bulk"),
    path("orders/bulks/<uuid:bulk_id>/cancel/", views.cancel_bulk, name="cancel_bulk"),
    path("orders/reconciliations/", views.reconciliations, name="reconciliations"),
    path("orders/<uuid:order_id>/", views.detail, name="detail"),
    path("orders/<uuid:order_id>/reconcile/", views.reconcile, name="reconcile"),
    path("orders/<uuid:order_id>/tickets/<uuid:ticket_id>/", views.ticket, name="ticket"),
    path("settings/shop-keys/", views.shop_keys, name="shop_keys"),
    path("settings/shop-keys/<uuid:key_id>/revoke/", views.revoke_key, name="revoke_key"),
]
