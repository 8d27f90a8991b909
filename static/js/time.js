// "12 s ago" stays true while the page stays open; the words are those of organizer/kit/days.py.
setInterval(() => {
  for (const element of document.querySelectorAll("time[data-ago]")) {
    const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(element.dateTime)) / 1000));
    if (seconds < 3600) element.textContent = seconds < 60 ? `${seconds} s ago` : `${Math.floor(seconds / 60)} min ago`;
  }
}, 5000);

// Seconds that are left, said anew each second; the server's count is the one that holds.
(() => {
  const ends = new WeakMap();
  setInterval(() => {
    for (const element of document.querySelectorAll("[data-left]")) {
      if (!ends.has(element)) ends.set(element, Date.now() + 1000 * Number(element.textContent));
      const left = Math.max(0, Math.ceil((ends.get(element) - Date.now()) / 1000));
      element.textContent = left;
      element.parentElement.querySelector(".on")?.setAttribute("stroke-dasharray", `${left} 10`);
    }
  }, 250);
})();
