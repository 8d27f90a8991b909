// Keys: "/" and every data-key, j and k through [data-row], Enter opens, "?" shows them. Also menus and dialogs.
(() => {
  const typing = (element) => element.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
  const visible = (element) => element.offsetParent !== null;
  const rows = () => [...document.querySelectorAll("[data-row]")].filter(visible);
  const cursor = () => document.querySelector("[data-row].is-cursor");

  let kept = ""; // the cursor outlives a swap of its list

  function move(step) {
    const all = rows();
    if (!all.length) return;
    const old = cursor();
    const index = old ? all.indexOf(old) + step : step > 0 ? 0 : all.length - 1;
    point(all[Math.max(0, Math.min(all.length - 1, index))]);
  }

  function point(row) {
    cursor()?.classList.remove("is-cursor");
    row.classList.add("is-cursor");
    kept = row.id;
    row.scrollIntoView({ block: "nearest" });
    row.querySelector("a")?.focus({ preventScroll: true });
    document.dispatchEvent(new CustomEvent("cursor", { detail: { row } }));
  }

  function press(key) {
    const here = cursor();
    const every = [...document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)];
    const all = every.filter(visible);
    // a card beside the list may still be of the row before: a key is always about the row under the cursor
    const stale = (element) => here && element.closest("[data-of]") && element.closest("[data-of]").dataset.of !== here.id;
    const others = all.filter((element) => !element.closest(".toasts, tbody[data-row], li[data-row]") && !stale(element));
    const target = all.find((element) => element.closest(".bulk")) // a selection is meant before the row under the cursor,
      || every.find((element) => here?.contains(element)) // that before the last toast,
      || all.filter((element) => element.closest(".toasts")).pop()
      || others.find((element) => element.closest("main")) || others[0]; // and the page before its frame
    if (!target) return false;
    if (target.matches("input, textarea, select")) { target.focus(); target.select?.(); } else target.click();
    return true;
  }

  function pick() {
    const box = cursor()?.querySelector("input[type=checkbox]");
    box?.click();
    return Boolean(box);
  }

  function open(id) {
    const dialog = document.getElementById(id);
    if (!dialog || !dialog.showModal) return false;
    dialog.showModal();
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape") {
      for (const menu of document.querySelectorAll("details.menu[open]")) {
        menu.open = false;
        menu.querySelector("summary").focus();
      }
      return;
    }
    if (typing(event.target) || document.querySelector("dialog[open]")) return;
    let handled = true;
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "x") handled = pick();
    else if (event.key === "?") handled = open("keys-help");
    else if (event.key === "Enter" && cursor() && event.target === document.body) cursor().querySelector("a")?.click();
    else handled = event.key.length === 1 && press(event.key);
    if (handled) event.preventDefault();
  });

  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    const shown = document.querySelector(`dialog[data-dialog-of="${CSS.escape(detail.target?.id || "")}"]`);
    if (shown && !shown.open) shown.showModal();
    if (shown) return;
    const box = detail.requestConfig?.elt.closest("dialog");
    if (box && !box.contains(document.getElementById(detail.target?.id))) box.close(); // it was about the page behind
  });

  // a row that is swapped takes what had the focus with it: the same place in the new row gets it back
  let place = { row: "", key: "" };
  document.addEventListener("focusin", ({ target }) => {
    if (target.closest(".toasts, dialog")) return;
    place = { row: target.closest("[data-row]")?.id || "", key: target.dataset.key || "" };
  });
  for (const name of ["htmx:afterSwap", "htmx:oobAfterSwap", "htmx:afterSettle"]) { // settling sets classes once more
    document.addEventListener(name, () => {
      if (kept && !cursor()) document.getElementById(kept)?.classList.add("is-cursor");
      const row = place.row && document.activeElement === document.body && document.getElementById(place.row);
      if (!row) return;
      const same = place.key && row.querySelector(`[data-key="${CSS.escape(place.key)}"]`);
      (same || row.querySelector("a, button"))?.focus({ preventScroll: true });
    });
  }

  document.addEventListener("point", ({ detail }) => point(detail.row));

  document.addEventListener("toggle", (event) => { // a menu that opens below the edge is brought into view
    if (!event.target.matches("details.menu[open]")) return;
    event.target.querySelector(".menu-list")?.scrollIntoView({ block: "nearest" });
    event.target.querySelector(".menu-list input[type=text]")?.focus({ preventScroll: true });
  }, true);

  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target) || event.target.closest("a.menu-item")) menu.open = false; // a download leaves the page as it is
    }
    const more = event.target.closest("a.more, a[data-choose]");
    if (more && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
      event.preventDefault();
      htmx.ajax("GET", more.getAttribute("href"), { target: "#guest-choice", swap: "outerHTML" });
    }
    const opener = event.target.closest("[data-dialog]");
    if (opener && open(opener.dataset.dialog)) event.preventDefault();
    if (event.target.closest("[data-close]")) event.target.closest("dialog")?.close();
    if (event.target.matches("dialog")) event.target.close(); // a click on the backdrop
  });
})();
