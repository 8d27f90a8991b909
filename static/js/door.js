// The desk: what a scanner types ends in the box, each ticket is asked about once, and focus stays where the next is typed.
(() => {
  const desk = document.getElementById("desk");
  const form = document.getElementById("scan-form");
  if (!desk || !form) return;
  const box = form.elements.code;
  const unsent = document.getElementById("unsent");
  const paused = document.getElementById("paused");
  const sound = document.getElementById("sound");
  const KEPT = `door ${location.pathname}`; // what was not answered when the page went away
  const AGAIN = 1500, PATIENCE = 8000, SAME_CODE = 3000, LAST = 10, FAST = 50, PAUSE = 300, LETTERS = 3;
  let jobs = [];
  let sending = false;
  let answered = { code: "", at: 0 };
  let looked = "", pause; // the name that was looked for, and the timer until the next

  // --- asking: one after another, and again with the same id until there is an answer ---

  function newId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID is missing on pages without https
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  function ask(job) {
    jobs.push(job);
    keep();
    work();
  }

  function keep() {
    try {
      if (jobs.length) sessionStorage.setItem(KEPT, JSON.stringify(jobs));
      else sessionStorage.removeItem(KEPT);
    } catch { /* a full or forbidden storage: a reload forgets what was not answered */ }
  }

  async function work() {
    if (sending) return;
    sending = true;
    while (jobs.length) {
      const done = await send(jobs[0]);
      if (!done) { await new Promise((resolve) => setTimeout(resolve, AGAIN)); continue; }
      jobs.shift();
      keep();
    }
    sending = false;
    say("");
  }

  async function send(job) {
    const token = form.elements.csrfmiddlewaretoken.value;
    let answer;
    try {
      answer = await fetch(job.url, {
        method: "POST", body: new URLSearchParams(job.values), signal: AbortSignal.timeout(PATIENCE),
        headers: { "HX-Request": "true", "X-CSRFToken": token },
      });
    } catch {
      say(desk.dataset.unsent);
      return false;
    }
    if (answer.status >= 500) { say(desk.dataset.unsent); return false; }
    const elsewhere = answer.headers.get("HX-Redirect");
    if (elsewhere) { location.assign(elsewhere); return true; }
    if (answer.ok) show(await answer.text(), job); else say(desk.dataset.failed);
    return true;
  }

  function show(html, job) {
    say("");
    htmx.swap("#verdict", html, { swapStyle: "innerHTML" });
    answered = { code: job.values.code || "", at: Date.now() };
    for (const old of [...document.querySelectorAll("#last > li")].slice(LAST)) old.remove();
    const tone = document.querySelector("#verdict [data-tone]")?.dataset.tone;
    play(tone);
    htmx.trigger(document.body, "scanned");
    if (tone && box.value === looked) box.value = "";
    else if (!tone && !box.value) box.value = looked = job.values.code; // a name, which can be written further
    focusBox();
    if (!tone && box.value === looked) box.select();
  }

  function say(text) {
    if (unsent.textContent !== text) unsent.textContent = text;
    unsent.hidden = !text;
  }

  document.addEventListener("submit", (event) => {
    const asked = event.target.closest("form[data-scan]");
    if (!asked) return;
    event.preventDefault();
    if (asked === form) { enter(box.value); return; }
    const values = Object.fromEntries(new FormData(asked));
    if (!jobs.some((job) => job.values.scan_id === values.scan_id)) ask({ url: asked.action, values });
  });

  // a name is looked for while it is written; a scanner is too quick for that, and no ticket is let in by it
  box.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(look, PAUSE);
  });

  async function look() {
    const text = box.value.trim();
    if (text === looked || jobs.length || text.length < LETTERS || /\d|:\/\//.test(text)) return;
    looked = text;
    try {
      const answer = await fetch(`${location.pathname}?${new URLSearchParams({ q: text })}`, {
        headers: { "HX-Request": "true", "HX-Target": "verdict" }, signal: AbortSignal.timeout(PATIENCE),
      });
      if (answer.ok && box.value.trim() === text && !jobs.length) htmx.swap("#verdict", await answer.text(), { swapStyle: "innerHTML" });
    } catch { /* Enter asks again, and says so where nobody answers */ }
  }

  function enter(text) {
    const code = text.trim();
    clearTimeout(pause);
    box.value = "";
    if (!code) return;
    const still = answered.code === code && Date.now() - answered.at < SAME_CODE; // in front of the scanner still
    if (still || jobs.some((job) => job.values.code === code)) return;
    ask({ url: form.action, values: { code, scan_id: newId() } });
  }

  // --- typing: a scanner is a quick keyboard, wherever the focus is ---

  const busy = () => document.querySelector("dialog[open]");
  const typing = (element) => element.closest?.("input:not([type=hidden]), textarea, select, [contenteditable]");
  let quick = "", lastKey = 0;

  function focusBox() {
    if (!busy() && !typing(document.activeElement || document.body)) box.focus({ preventScroll: true });
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const now = performance.now(), isQuick = now - lastKey < FAST;
    lastKey = now;
    if (event.key.length === 1) quick = isQuick ? quick + event.key : event.key;
    const ends = event.key === "Enter" || event.key === "Tab";
    if (ends && isQuick && quick.length > 3) {
      if (event.target === box) { if (event.key === "Tab") { event.preventDefault(); enter(box.value); } }
      else if (busy()) { event.preventDefault(); event.stopPropagation(); enter(quick); }
      quick = "";
      return;
    }
    if (event.key.length === 1 && event.key !== "/" && event.key !== " " && !busy() && !typing(event.target)) {
      event.stopPropagation(); // a code's letters are no shortcuts
      box.focus({ preventScroll: true });
    }
  }, true);

  document.addEventListener("click", (event) => {
    if (!event.target.closest("a, button, input, select, textarea, summary, dialog, label")) focusBox();
  });
  window.addEventListener("blur", () => { paused.hidden = false; });
  window.addEventListener("focus", () => { paused.hidden = true; focusBox(); });
  document.addEventListener("close", focusBox, true); // of a dialog

  // --- sound ---

  const NOTES = { admit: [[880, 0, 0.12]], ask: [[520, 0, 0.12], [520, 0.18, 0.12]], stop: [[220, 0, 0.35]] };
  const MUTE = "door-sound";
  let audio = null;
  const isOn = () => sound.getAttribute("aria-pressed") === "true";

  function play(tone) {
    if (!isOn() || !NOTES[tone]) return;
    try {
      audio ||= new AudioContext();
      audio.resume();
      for (const [pitch, after, length] of NOTES[tone]) {
        const note = audio.createOscillator(), volume = audio.createGain(), start = audio.currentTime + after;
        note.frequency.value = pitch;
        volume.gain.setValueAtTime(0.25, start);
        volume.gain.exponentialRampToValueAtTime(0.001, start + length);
        note.connect(volume).connect(audio.destination);
        note.start(start);
        note.stop(start + length);
      }
    } catch { /* no sound here: word, shape and colour say the same */ }
  }

  try { sound.setAttribute("aria-pressed", String(localStorage.getItem(MUTE) !== "off")); } catch { /* as it came */ }
  sound.addEventListener("click", () => {
    sound.setAttribute("aria-pressed", String(!isOn()));
    try { localStorage.setItem(MUTE, isOn() ? "on" : "off"); } catch { /* for this page only */ }
    play("admit");
    box.focus({ preventScroll: true });
  });

  // --- beginning ---

  if (box.value) box.select();
  box.focus({ preventScroll: true });
  try { jobs = JSON.parse(sessionStorage.getItem(KEPT)) || []; } catch { jobs = []; }
  work();
})();
