from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickHasher(PBKDF2PasswordHasher):
    """Tests make hundreds of people. What it writes, every process can check: only the work is less."""

    iterations = 1
