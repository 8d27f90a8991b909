// A button with data-copy puts its text on the clipboard and says so in its own place.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button || !navigator.clipboard) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.classList.add("is-copied");
  setTimeout(() => button.classList.remove("is-copied"), 1600);
});
