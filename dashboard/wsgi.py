import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

application = get_wsgi_application()
get_resolver().url_patterns  # noqa: B018  all views and what they import: the first request would do it
gc.collect()
gc.freeze()  # what stays for good is not gone through again: that held every thread for a tenth of a second at times
