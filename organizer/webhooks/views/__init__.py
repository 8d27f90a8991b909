from organizer.webhooks.views.deliveries import export, index, news
from organizer.webhooks.views.delivery import detail, download, erase, note, read_again
from organizer.webhooks.views.rejections import rejected
from organizer.webhooks.views.suppliers import (
    checklist,
    edit_vendor,
    end_old_secrets,
    new_vendor,
    rotate,
    secrets,
    switch,
    vendor,
    vendors,
)
from organizer.webhooks.views.trials import test

__all__ = [
    "checklist", "detail", "download", "edit_vendor", "end_old_secrets", "erase", "export", "index", "new_vendor",
    "news", "note", "read_again", "rejected", "rotate", "secrets", "switch", "test", "vendor", "vendors",
]  # fmt: skip
