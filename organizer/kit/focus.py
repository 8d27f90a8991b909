from django.forms import BaseForm


def focus(form: BaseForm) -> None:
    """The cursor stands in the first field that needs another look, or in the first of a form that is new."""
    fields = form.visible_fields()
    first = next((field for field in fields if field.errors), None) if form.is_bound else next(iter(fields), None)
    if first is not None:
        first.field.widget.attrs["autofocus"] = True
