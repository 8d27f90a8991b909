// Runs before the first paint: Tabler follows an attribute, so "as the system" must be answered in time.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => (document.cookie.match(/(?:^|; )foyer_theme=(light|dark)/) || [])[1];
  const apply = () => { root.dataset.bsTheme = chosen() || (system.matches ? "dark" : "light"); };
  apply();
  system.addEventListener("change", apply);

  // The theme form works as a POST too; here the page changes without one.
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-theme-form]");
    if (!form || !event.submitter) return;
    event.preventDefault();
    const choice = event.submitter.value;
    document.cookie = `foyer_theme=${choice};path=/;max-age=31536000;samesite=lax`;
    for (const button of document.querySelectorAll("[data-theme-form] button")) {
      button.setAttribute("aria-pressed", String(button.value === choice));
    }
    apply();
  });
})();
