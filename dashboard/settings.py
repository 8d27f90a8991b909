"""One settings file; every value that an operator may change comes from the environment."""

from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from django.utils.csp import CSP
from environs import Env

from dashboard import secrets
from deploy import data

env = Env()
BASE_DIR = Path(__file__).resolve().parent.parent
DATA = Path(env.str("FOYER_DATA", str(BASE_DIR / "var")))
PORT = env.int("PORT", 8000)
SERVERS_PORT = env.int("SERVERS_PORT", 8001)
PROCESS = env.str("FOYER_PROCESS", "web")
"""Which process this is (web, worker, command): it names audit entries' source and SQLite's durability."""

DATABASE_URL = env.str("DATABASE_URL", "")
EMBEDDED = not DATABASE_URL
PUBLIC_URL = env.str("FOYER_PUBLIC_URL", f"http://localhost:{PORT}")
HTTPS = PUBLIC_URL.startswith("https://")

data.finish_swap(DATA)  # a restore that was cut off: nothing of the old and the new is read together
_secrets = secrets.load(DATA)
SECRET_KEY = _secrets.secret_key
FOYER_KEY_RING = _secrets.key_ring
FOYER_API_TIMEOUT = env.float("FOYER_API_TIMEOUT", 30.0)
"""Seconds of silence after which a provider is taken for gone; 45 s for a whole answer end it in any case."""
FOYER_ALLOW_PRIVATE_ADDRESSES = env.bool("FOYER_ALLOW_PRIVATE_ADDRESSES", EMBEDDED)

FOYER_PROXY_NETWORKS = [ip_network(one) for one in env.list("FOYER_PROXY_NETWORKS", [], subcast=str)]
"""Proxies of ours, as networks: only what they say in X-Forwarded-For is believed."""
FOYER_WEB_PROCESSES = env.int("FOYER_WEB_PROCESSES", 1)
"""Among how many processes a supplier's budget is divided where there is no Redis."""

DEBUG = False
ALLOWED_HOSTS = env.list("FOYER_ALLOWED_HOSTS", ["*"] if EMBEDDED else [urlsplit(PUBLIC_URL).hostname])
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if HTTPS else []
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "django_htmx",
    "allauth",
    "allauth.account",
    "organizer.kit",
    "organizer.accounts",
    "organizer.lists",
    "organizer.connections",
    "organizer.backup",
    "organizer.sync",
    "organizer.webhooks",
    "organizer.events",
    "organizer.attendees",
    "organizer.imports",
    "organizer.orders",
    "organizer.alerts",
    "organizer.door",
    "organizer.overview",
]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
USE_I18N = len(LANGUAGES) > 1  # a second language switches it on, and what chooses one

MIDDLEWARE = [
    "organizer.webhooks.receiver.middleware.WebhookMiddleware",  # first: a supplier has no session
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",  # a page of 50 guests is 60 kB of text; it pads against BREACH
    "django_htmx.middleware.HtmxMiddleware",
    "organizer.kit.middleware.RequestMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    *(["django.middleware.locale.LocaleMiddleware"] if USE_I18N else []),
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "dashboard.urls"
WSGI_APPLICATION = "dashboard.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "organizer.accounts.context.shell",
                "organizer.connections.context.notices",
                "organizer.attendees.context.approvals",
                "organizer.sync.context.outbox",
                "organizer.alerts.context.alerts",
            ],
        },
    }
]


def _database() -> dict:
    if DATABASE_URL:
        parsed = env.dj_db_url("DATABASE_URL")
        pool = {"min_size": 1, "max_size": 12, "timeout": 10}
        prepare = 5 if env.bool("FOYER_PREPARED_STATEMENTS", True) else None  # for `kit.prepared`
        parsed["OPTIONS"] = parsed.get("OPTIONS", {}) | {"pool": pool, "prepare_threshold": prepare}
        return parsed
    # FULL makes an answered write outlive a power cut; the worker can afford NORMAL because its work is repeatable
    synchronous = "NORMAL" if PROCESS == "worker" else "FULL"
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA / "foyer.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous}; PRAGMA cache_size=-16000;",
        },
        # a file also in tests: WAL and locks behave as they do in life
        "TEST": {"NAME": DATA / "test-foyer.sqlite3"},
    }


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["organizer.accounts.backends.PersonBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "organizer.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_USER_DISPLAY = "organizer.accounts.adapter.display"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_PREVENT_ENUMERATION = True
# sign-in, failed sign-in and reset are rate-limited by allauth: 30/min per address, 5 failures in 5 min per account
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("FOYER_TRUSTED_PROXIES", 0)

SESSION_ENGINE = "organizer.accounts.sessions"
SESSION_COOKIE_NAME = "foyer_session"
CSRF_COOKIE_NAME = "foyer_csrf"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:", "blob:"],
    "connect-src": [CSP.SELF],
    "font-src": [CSP.SELF],
    "manifest-src": [CSP.SELF],
    "worker-src": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
}

REDIS_URL = env.str("REDIS_URL", "")
CACHES = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    )
}

FILE_UPLOAD_HANDLERS = [
    "organizer.kit.uploads.NotTooLong",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = DATA / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    "tickets": {  # of suppliers, for the eyes of those who may see the order
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": DATA / "tickets",
            "base_url": None,
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
}
WHITENOISE_MAX_AGE = 60

_mail = env.dj_email_url("EMAIL_URL", "console://")
"""`submission://user:password@host:587`, with `?ssl=True` for TLS from the start; without it mails are printed."""
_mail_options = ["host", "port", "username", "password", "use_tls", "use_ssl", "timeout"]
_mail_names = {"username": "HOST_USER", "password": "HOST_PASSWORD"}


def _mailer() -> dict:
    backend = _mail.get("EMAIL_BACKEND", "django.core.mail.backends.smtp.EmailBackend")
    if backend.endswith("filebased.EmailBackend"):
        return {"BACKEND": backend, "OPTIONS": {"file_path": _mail["EMAIL_FILE_PATH"]}}
    if not backend.endswith("smtp.EmailBackend"):
        return {"BACKEND": backend}
    values = {name: _mail.get(f"EMAIL_{_mail_names.get(name, name).upper()}") for name in _mail_options}
    options = {name: value for name, value in values.items() if value}
    return {"BACKEND": backend, "OPTIONS": {"timeout": 20} | options}  # one that is silent must not hold a worker


MAILERS = {"default": _mailer()}
DEFAULT_FROM_EMAIL = env.str("FOYER_MAIL_FROM", "Foyer <foyer@localhost>")

_broker_folder = DATA / "broker"
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", REDIS_URL or "folder://")
if CELERY_BROKER_URL == "folder://":
    _broker_folder.mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_broker_folder),
        "data_folder_out": str(_broker_folder),
        "control_folder": str(_broker_folder),
        "polling_interval": 0.05,
    }
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_PREFETCH_MULTIPLIER = 64  # polling transports acknowledge between polls: 1 would mean one task a poll
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULER = "dashboard.schedule:Schedule"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA / "beat-schedule")
CELERY_BEAT_SCHEDULE: dict[str, dict] = {
    "pulse": {"task": "organizer.sync.tasks.pulse", "schedule": 5.0, "options": {"expires": 5}},
    "sweep-due": {"task": "organizer.sync.tasks.start_due_sweeps", "schedule": 2.0, "options": {"expires": 2}},
    "send-due": {"task": "organizer.sync.tasks.send_due", "schedule": 1.0, "options": {"expires": 1}},
    "housekeeping": {"task": "organizer.sync.tasks.housekeep", "schedule": 3600.0, "options": {"expires": 3600}},
    "sessions": {
        "task": "organizer.accounts.tasks.forget_sessions",
        "schedule": 3600.0,
        "options": {"expires": 3600},
    },
    "fold-counts": {
        "task": "organizer.attendees.tasks.fold_counts",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "imports": {"task": "organizer.imports.tasks.forget", "schedule": 3600.0, "options": {"expires": 3600}},
    "reconcile-waiting": {
        "task": "organizer.orders.tasks.reconcile_waiting",
        "schedule": 15.0,
        "options": {"expires": 15},
    },
    "check-orders": {"task": "organizer.orders.tasks.check_due", "schedule": 10.0, "options": {"expires": 10}},
    "forget-orders": {"task": "organizer.orders.tasks.forget", "schedule": 3600.0, "options": {"expires": 3600}},
    "look-for-alerts": {"task": "organizer.alerts.tasks.look", "schedule": 60.0, "options": {"expires": 60}},
    "send-alerts": {"task": "organizer.alerts.tasks.notify", "schedule": 5.0, "options": {"expires": 5}},
    "forget-alerts": {"task": "organizer.alerts.tasks.forget", "schedule": 3600.0, "options": {"expires": 3600}},
    "webhook-bodies": {
        "task": "organizer.webhooks.tasks.forget",
        "schedule": 3600.0,
        "options": {"expires": 3600},
    },
    "check-waiting": {
        "task": "organizer.connections.tasks.check_waiting",
        "schedule": 30.0,
        "options": {"expires": 30},
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "organizer.kit.logs.JsonFormatter"}},
    "filters": {"redact": {"()": "organizer.kit.logs.RedactSecrets"}},
    "handlers": {
        "stdout": {
            "class": "logging.StreamHandler",
            "stream": "ext://sys.stderr" if PROCESS == "command" else "ext://sys.stdout",
            "formatter": "json",
            "filters": ["redact"],
        }
    },
    "root": {"handlers": ["stdout"], "level": env.str("FOYER_LOG_LEVEL", "WARNING")},
    "loggers": {"organizer": {"level": "INFO"}, "django.server": {"level": "WARNING"}, "kombu": {"level": "ERROR"}},
}
