// Parts that ask for themselves: what stands already is not sent again, and what changed is laid over what stands.
(() => {
  const known = new WeakMap(); // the tag of what a part shows
  const polls = (element, target) => element === target && /\bevery\b/.test(element.getAttribute("hx-trigger") || "");

  document.addEventListener("htmx:configRequest", ({ detail }) => {
    const tag = polls(detail.elt, detail.target) && detail.verb === "get" && known.get(detail.elt);
    if (tag) detail.headers["If-None-Match"] = tag;
  });
  document.addEventListener("htmx:afterOnLoad", ({ detail }) => {
    const tag = polls(detail.requestConfig.elt, detail.target) && detail.xhr.getResponseHeader("ETag");
    if (tag) known.set(detail.requestConfig.elt, tag);
  });

  // hx-swap="morph": elements stay the same, and with them focus, scroll and what a person opened or ticked
  htmx.defineExtension("morph", {
    isInlineSwap: (style) => style === "morph",
    handleSwap(style, target, fragment, settle) {
      if (style !== "morph") return false;
      const swapped = Idiomorph.morph(target, fragment.children, { morphStyle: "outerHTML" });
      settle.elts.push(...swapped);
      return swapped;
    },
  });
  Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) =>
    !(name === "open" && node.matches("details, dialog")) && !(name === "checked" && node.matches("input"));
})();
