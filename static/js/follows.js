// A time that moves with another: an event's end keeps its distance from the start, and begins two hours after it.
(() => {
  const LENGTH = 2 * 3600e3;
  const read = (field) => Date.parse(`${field.value}Z`); // no zone: only the distance counts
  for (const field of document.querySelectorAll("[data-follows]")) {
    const first = document.getElementById(field.dataset.follows);
    let before = read(first);
    first.addEventListener("change", () => {
      const now = read(first), end = read(field);
      if (Number.isNaN(now) || now < Date.UTC(2000)) return; // a year that is being typed
      const length = end > before ? end - before : LENGTH;
      if (!field.value || end > before) field.value = new Date(now + length).toISOString().slice(0, 16);
      before = now;
    });
  }
})();
