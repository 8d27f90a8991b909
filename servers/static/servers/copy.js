// Shows and runs the copy button beside a key; without a script the field can still be selected.
for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      document.execCommand("copy"); // the clipboard API exists on https and localhost only
    }
    button.textContent = button.dataset.done;
  });
}
