"""Settings of our own servers. Nothing here is shared with the dashboard but the data folder and the ports."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.utils.csp import CSP
from environs import Env

from deploy import data
from servers import secret

env = Env()
BASE_DIR = Path(__file__).resolve().parent
DATA = Path(env.str("FOYER_DATA", str(BASE_DIR.parent / "var")))
DATA.mkdir(parents=True, exist_ok=True)
PORT = env.int("SERVERS_PORT", 8001)
PROCESS = env.str("SERVERS_PROCESS", "web")
"""Which process this is (web, worker, command): it names SQLite's durability and where logs go."""

DATABASE_URL = env.str("SERVERS_DATABASE_URL", "")
EMBEDDED = not DATABASE_URL
PUBLIC_URL = env.str("SERVERS_PUBLIC_URL", f"http://localhost:{PORT}")
RETAIL_URL = f"http://127.0.0.1:{env.int('PORT', 8000)}"
"""Where the demo's suppliers notify: the dashboard of the same installation."""
HTTPS = PUBLIC_URL.startswith("https://")

data.finish_swap(DATA)  # a restore that was cut off
SECRET_KEY = secret.load(DATA)
SECRET_KEY_FALLBACKS: list[str] = env.list("SERVERS_SECRET_KEY_FALLBACKS", [])
DEBUG = False
_OWN_HOSTS = [urlsplit(PUBLIC_URL).hostname or "", "localhost", "127.0.0.1"]
ALLOWED_HOSTS = env.list("SERVERS_ALLOWED_HOSTS", ["*"] if EMBEDDED else _OWN_HOSTS)
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if HTTPS else []
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "servers.organizations",
    "servers.jobs",
    "servers.mail",
    "servers.event_api",
    "servers.supplier_api",
    "servers.console",
    "servers.demo",
]

MIDDLEWARE = [
    "servers.kit.middleware.RequestIdMiddleware",
    "servers.supplier_api.middleware.ApiMiddleware",
    "servers.event_api.middleware.ApiMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "servers.urls"
WSGI_APPLICATION = "servers.wsgi.application"
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
            ],
        },
    }
]


def _database() -> dict[str, Any]:
    if DATABASE_URL:
        parsed = env.dj_db_url("SERVERS_DATABASE_URL")
        parsed["OPTIONS"] = parsed.get("OPTIONS", {}) | {"pool": {"min_size": 1, "max_size": 12, "timeout": 10}}
        return parsed
    # FULL makes an answered write outlive a power cut; the worker's work is repeatable
    synchronous = "NORMAL" if PROCESS == "worker" else "FULL"
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA / "servers.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous}; PRAGMA cache_size=-8000;",
        },
        # a file also in tests: WAL and locks behave as they do in life
        "TEST": {"NAME": DATA / "test-servers.sqlite3"},
    }


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "organizations.User"
LOGIN_URL = "console:sign_in"
LOGIN_REDIRECT_URL = "console:home"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# two sites on one host share cookies over ports, so the names differ from the dashboard's
SESSION_COOKIE_NAME = "servers_session"
CSRF_COOKIE_NAME = "servers_csrf"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "connect-src": [CSP.SELF],
    "font-src": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
}

LANGUAGE_CODE = "en"
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = DATA / "servers-static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_MAX_AGE = 60


def _mailers(url: str) -> dict[str, Any]:
    """Where mail leaves: the SMTP server of EMAIL_URL, or our own mailbox page where none is given."""
    if not url:
        return {"default": {"BACKEND": "servers.mail.backends.MailboxBackend"}}
    parts = env.dj_email_url("EMAIL_URL")
    options = {
        "host": parts["EMAIL_HOST"],
        "port": parts["EMAIL_PORT"],
        "username": parts["EMAIL_HOST_USER"],
        "password": parts["EMAIL_HOST_PASSWORD"],
        "use_tls": parts["EMAIL_USE_TLS"],
        "use_ssl": parts["EMAIL_USE_SSL"],
        "timeout": 15,
    }
    return {"default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": options}}


EMAIL_URL = env.str("EMAIL_URL", "")
MAILERS = _mailers(EMAIL_URL)
MAIL_FROM = env.str("SERVERS_MAIL_FROM", "Foyer <tickets@foyer.test>")

API_BODY_LIMIT = 1_000_000
API_ANONYMOUS_LIMIT = env.str("SERVERS_ANONYMOUS_LIMIT", "60/10")
"""Requests/seconds of an address that shows no valid key."""
DATA_UPLOAD_MAX_MEMORY_SIZE = API_BODY_LIMIT
JOB_LEASE = env.int("SERVERS_JOB_LEASE", 60)
"""Seconds after which a job that nobody finished is taken again; longer than any one job may last."""

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "servers.kit.logs.JsonFormatter"}},
    "handlers": {
        "stdout": {
            "class": "logging.StreamHandler",
            "stream": "ext://sys.stderr" if PROCESS == "command" else "ext://sys.stdout",
            "formatter": "json",
        }
    },
    "root": {"handlers": ["stdout"], "level": env.str("FOYER_LOG_LEVEL", "WARNING")},
    "loggers": {
        "servers": {"level": env.str("FOYER_LOG_LEVEL", "INFO")},
        "django.request": {"level": "ERROR"},
        "django.server": {"level": "WARNING"},
    },
}
