// Arrow keys through a calendar's days. At its edge they lead on to the next page; without this script the days are links.
(() => {
  const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
  const visible = (day) => day?.offsetParent ? day : null;
  const find = (name) => visible(document.getElementById(`day-${name}`));
  const later = (day, number) => {
    const date = new Date(`${day}T00:00:00Z`);
    date.setUTCDate(date.getUTCDate() + number);
    return date.toISOString().slice(0, 10);
  };
  const link = (rel) => document.querySelector(`.cal-nav a[rel="${rel}"]`)?.getAttribute("href");
  const turn = (rel, day) => { if (link(rel)) location.assign(`${link(rel)}#day-${day}`); };

  function turnPage(rel, from) { // the same day of the other month, or of the other week
    const month = link(rel)?.match(/month=(\d{4}-\d\d)/);
    turn(rel, month ? month[1] + from.dataset.day.slice(7) : later(from.dataset.day, rel === "next" ? 7 : -7));
  }

  function go(from, step) {
    const rtl = getComputedStyle(from).direction === "rtl" && Math.abs(step) === 1;
    const to = later(from.dataset.day, rtl ? -step : step);
    const there = find(to);
    if (there && !there.closest(".is-outside")) there.focus();
    else turn(to > from.dataset.day ? "next" : "prev", to);
  }

  function agenda(from, step) { // one day under the other: up and down, and nothing else
    const days = [...document.querySelectorAll("[data-day]")].filter(visible);
    (days[days.indexOf(from) + Math.sign(step)] || from).focus();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const from = event.target.closest?.(".cal-cell")?.querySelector("[data-day]");
    if (!from) return;
    const row = [...from.closest("tr").querySelectorAll("[data-day]")].filter(visible);
    const inside = row.filter((day) => !day.closest(".is-outside"));
    if (event.key in STEPS) {
      if (getComputedStyle(from.closest(".cal-cell")).display === "block") agenda(from, STEPS[event.key]);
      else go(from, STEPS[event.key]);
    } else if (event.key === "Home") inside[0].focus();
    else if (event.key === "End") inside.at(-1).focus();
    else if (event.key === "PageUp") turnPage("prev", from);
    else if (event.key === "PageDown") turnPage("next", from);
    else return;
    event.preventDefault();
  });

  const arrive = () => { // a page or "Today" that names a day begins there; a day that is not there, at its like
    const asked = location.hash.match(/^#day-(\d{4}-\d\d-)(\d\d)$/);
    if (!asked) return;
    const days = [...document.querySelectorAll(".cal-cell:not(.is-outside) [data-day]")].filter(visible);
    const exact = days.find((day) => day.dataset.day === asked[1] + asked[2]);
    (exact || days.find((day) => day.dataset.day.endsWith(asked[2])) || days.at(-1))?.focus();
  };
  addEventListener("hashchange", arrive);
  document.addEventListener("click", ({ target }) => { if (target.closest(".cal-nav a")?.hash === location.hash) setTimeout(arrive); });
  arrive();
})();
