from django.apps import AppConfig


class SupplierApiConfig(AppConfig):
    name = "servers.supplier_api"

    def ready(self) -> None:
        from servers.jobs import actions as jobs
        from servers.supplier_api import housekeeping
        from servers.supplier_api.actions import deliveries, moving, steps

        jobs.handle(deliveries.KIND, deliveries.deliver)
        jobs.handle(steps.KIND, moving.go_on)
        jobs.each_hour(housekeeping.clean_up)
