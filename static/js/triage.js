// Approvals on a wide screen: the guest under the cursor stands beside the list, and a decision moves on to the next.
(() => {
  const triage = document.querySelector("[data-triage]");
  const wide = matchMedia("(min-width: 1180px)");
  const card = () => document.getElementById("guest-card");
  let wanted = "";

  function show(row) {
    if (!row || !wide.matches || wanted === row.id) return;
    wanted = row.id;
    const address = new URL("card/", new URL(row.querySelector("a.name").getAttribute("href"), location));
    htmx.ajax("GET", address.pathname, { target: "#guest-card", swap: "outerHTML" });
  }

  function set() {
    triage.classList.toggle("is-wide", wide.matches);
    const row = triage.querySelector("tbody.is-cursor") || triage.querySelector("tbody[data-row]");
    if (row) show(row);
    else if (card()) card().hidden = true;
  }

  document.addEventListener("cursor", ({ detail }) => show(detail.row));
  document.addEventListener("click", (event) => {
    const row = event.target.closest("[data-triage] tbody[data-row]");
    if (!row || !wide.matches || event.target.closest("button, input, a.sub, a.more")) return;
    if (!event.detail || event.ctrlKey || event.metaKey || event.shiftKey) return; // Enter, and a new tab, open the page
    event.preventDefault();
    document.dispatchEvent(new CustomEvent("point", { detail: { row } }));
  });
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target?.id === "guest-list") { wanted = ""; set(); return; }
    if (detail.requestConfig?.verb !== "post" || detail.target?.id !== wanted) return;
    const row = document.getElementById(detail.target.id);
    const next = row?.nextElementSibling;
    wanted = "";
    if (next && detail.requestConfig.path.includes("/decide/")) document.dispatchEvent(new CustomEvent("point", { detail: { row: next } }));
    else show(row);
  });
  wide.addEventListener("change", set);
  set();
})();
