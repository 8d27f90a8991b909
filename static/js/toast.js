// Toasts: what the server says by HX-Trigger, and the messages a page came with. Errors stay until closed.
(() => {
  const LIFE = 6000;
  const place = () => document.getElementById("toasts");
  const polls = (element) => /\b(every|load)\b/.test(element.getAttribute?.("hx-trigger") || "");

  function fade(toast) {
    if (toast.dataset.level === "error") return;
    let timer;
    const life = 1000 * toast.dataset.life || LIFE;
    const start = () => { clearTimeout(timer); timer = setTimeout(() => toast.remove(), life); };
    for (const name of ["pointerenter", "focusin"]) toast.addEventListener(name, () => clearTimeout(timer));
    for (const name of ["pointerleave", "focusout"]) toast.addEventListener(name, start);
    start();
  }

  function say(text, level) {
    const template = document.getElementById(level === "error" ? "toast-error" : "toast-info");
    if (!template || !place()) return;
    const toast = template.content.firstElementChild.cloneNode(true);
    toast.querySelector("[data-text]").textContent = text;
    place().append(toast);
    fade(toast);
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-toast-close]")) event.target.closest(".toast-x").remove();
  });
  document.addEventListener("toast", (event) => say(event.detail.text, event.detail.level));
  document.addEventListener("htmx:oobAfterSwap", ({ detail }) => {
    if (detail.target === place()) [...place().children].slice(0, -1).forEach((toast) => toast.dataset.life && toast.remove());
    if (detail.target === place()) fade(place().lastElementChild);
  });
  // what nobody asked for fails in silence: the page says how old it is
  for (const name of ["htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(name, (event) => { if (!polls(event.target)) say(place().dataset.offline, "error"); });
  }
  document.addEventListener("htmx:responseError", (event) => {
    if (polls(event.target)) return;
    say(event.detail.xhr.status === 403 ? place().dataset.forbidden : place().dataset.failed, "error");
  });
  // a page that nobody looks at asks for nothing
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (document.hidden && polls(event.target)) event.preventDefault();
  });
  place()?.querySelectorAll(".toast-x").forEach(fade);
})();
