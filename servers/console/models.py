from django.db import models

from servers.kit import clock


class SignInFailure(models.Model):
    """A refused sign-in, kept for an hour: in the database because several processes must count together."""

    name = models.CharField(max_length=150)
    address = models.CharField(max_length=45)
    at = models.DateTimeField(default=clock.now)

    class Meta:
        indexes = [models.Index(fields=["at"], name="sign_in_failure_by_age")]

    def __str__(self) -> str:
        return f"{self.name} from {self.address}"
