from organizer.webhooks.models.deliveries import Action, Delivery, Look, Note, Outcome, Proof, Trial
from organizer.webhooks.models.reconciliations import Cause, Found, Reconciliation
from organizer.webhooks.models.rejections import Reason, Rejection, Tally
from organizer.webhooks.models.vendors import Auth, Purpose, Vendor, VendorSecret

__all__ = [
    "Action",
    "Auth",
    "Cause",
    "Delivery",
    "Found",
    "Look",
    "Note",
    "Outcome",
    "Proof",
    "Purpose",
    "Reason",
    "Reconciliation",
    "Rejection",
    "Tally",
    "Trial",
    "Vendor",
    "VendorSecret",
]
