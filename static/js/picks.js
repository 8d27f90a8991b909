// Ticked rows: how many, all of this page, none; they outlive a swap of their row. The bar itself is shown by CSS.
(() => {
  const picked = new Set();
  let everybody = false;
  const boxes = () => [...document.querySelectorAll("tbody input[name=id]")];

  function show() {
    const all = document.querySelector("[data-pick-all]");
    const ticked = boxes().filter((box) => box.checked).length;
    if (all) { all.checked = ticked > 0 && ticked === boxes().length; all.indeterminate = ticked > 0 && !all.checked; }
    for (const count of document.querySelectorAll("[data-bulk] [data-count]")) count.textContent = ticked;
  }

  function tick(box, on) {
    box.checked = on;
    if (on) picked.add(box.value); else picked.delete(box.value);
  }

  function none() {
    boxes().forEach((box) => tick(box, false));
    picked.clear();
    everybody = false;
    for (const box of document.querySelectorAll("[data-everybody]")) box.checked = false;
    show();
  }

  document.addEventListener("change", ({ target }) => {
    if (target.matches("[data-pick-all]")) boxes().forEach((box) => tick(box, target.checked));
    else if (target.matches("tbody input[name=id]")) tick(target, target.checked);
    else if (target.matches("[data-everybody]")) everybody = target.checked;
    else return;
    show();
  });
  document.addEventListener("click", ({ target }) => { if (target.closest("[data-pick-none]")) none(); });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    const decided = detail.requestConfig.path.includes("/decide/") && detail.xhr.status < 400;
    if (decided && detail.requestConfig.elt.closest("[data-bulk]")) none();
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const box of boxes()) if (picked.has(box.value)) box.checked = true;
    for (const box of document.querySelectorAll("[data-everybody]")) box.checked = everybody;
    show();
  });
  show(); // a browser keeps boxes ticked over a reload
})();
