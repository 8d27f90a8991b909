// A message that is chosen takes the place of what a person typed: that is kept, and put back by a button beside it.
(() => {
  const typed = new Map(); // texts that people typed and that stand nowhere now; the last one is put back first
  const given = new Map(); // the text that was put there for them
  const every = () => document.querySelectorAll("[data-message]");
  const area = (field) => field.querySelector("textarea");
  const about = (field) => `${area(field).id} ${field.closest("form")?.querySelector("input[type=hidden][name=id]")?.value || ""}`;

  function keep(field, put) {
    const text = area(field).value;
    if (!text.trim() || text === given.get(about(field))) return;
    typed.set(about(field), put(typed.get(about(field)) || [], text));
  }

  function show(field) {
    field.querySelector("[data-replaced]").hidden = !typed.get(about(field))?.length;
  }

  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const field = detail.target?.matches("textarea") && detail.target.closest("[data-message]");
    if (field && detail.serverResponse.includes("<textarea")) keep(field, (texts, text) => [...texts, text]);
  });
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    const field = detail.target?.matches("textarea") && document.getElementById(detail.target.id)?.closest("[data-message]");
    if (field) given.set(about(field), area(field).value);
    every().forEach(show);
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    const field = detail.successful && detail.requestConfig.path.match(/\/(decide|resend)\//)
      && detail.requestConfig.elt.closest("form")?.querySelector("[data-message]");
    if (field) typed.delete(about(field)); // it was sent as it stands
    every().forEach(show);
  });
  document.addEventListener("click", ({ target }) => {
    const field = target.closest("[data-put-back]")?.closest("[data-message]");
    if (!field) return;
    const text = typed.get(about(field)).pop();
    keep(field, (texts, old) => [old, ...texts]); // what was changed since is typed, too
    area(field).value = text;
    const choice = field.querySelector("select");
    if (choice) choice.value = "";
    show(field);
    area(field).focus();
  });
})();
