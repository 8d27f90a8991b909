// "12 s ago" stays true while the page stays open; the words are those of organizer/kit/days.py.
setInterval(() => {
  for (const element of document.querySelectorAll("time[data-ago]")) {
    const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(element.dateTime)) / 1000));
    if (seconds < 3600) element.textContent = seconds < 60 ? `${seconds} s ago` : `${Math.floor(seconds / 60)} min ago`;
  }
}, 5000);
