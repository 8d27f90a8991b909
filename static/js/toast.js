// Toasts: what the server says by HX-Trigger, and the messages a page came with. Errors stay until closed.
(() => {
  const LIFE = 6000;
  const place = () => document.getElementById("toasts");

  function fade(toast) {
    if (toast.dataset.level === "error") return;
    let timer = setTimeout(() => toast.remove(), LIFE);
    toast.addEventListener("pointerenter", () => clearTimeout(timer));
    toast.addEventListener("focusin", () => clearTimeout(timer));
    toast.addEventListener("pointerleave", () => { timer = setTimeout(() => toast.remove(), LIFE / 2); });
  }

  function say(text, level) {
    const template = document.getElementById("toast-template");
    if (!template || !place()) return;
    const toast = template.content.firstElementChild.cloneNode(true);
    toast.dataset.level = level || "info";
    toast.querySelector("[data-text]").textContent = text;
    place().append(toast);
    fade(toast);
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-toast-close]")) event.target.closest(".toast-x").remove();
  });
  document.addEventListener("toast", (event) => say(event.detail.text, event.detail.level));
  for (const name of ["htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(name, () => say(place().dataset.offline, "error"));
  }
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    say(status === 403 ? place().dataset.forbidden : place().dataset.failed, "error");
  });
  // a page that nobody looks at asks for nothing
  document.addEventListener("htmx:beforeRequest", (event) => {
    const trigger = event.target.getAttribute?.("hx-trigger") || "";
    if (document.hidden && /\bevery\b/.test(trigger)) event.preventDefault();
  });
  place()?.querySelectorAll(".toast-x").forEach(fade);
})();
