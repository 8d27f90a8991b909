// A file that is dropped anywhere on the page is read at once; the form itself does the sending.
(() => {
  const form = document.querySelector("[data-drop]");
  if (!form) return;
  const box = form.querySelector(".drop");
  const input = form.querySelector("input[type=file]");
  const holdsFiles = (event) => [...(event.dataTransfer?.types || [])].includes("Files");

  function send() {
    form.querySelector(".drop-wait").hidden = false;
    form.querySelector(".btn-primary").disabled = true;
    form.submit();
  }

  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      box.classList.add("is-over");
    });
  }
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) box.classList.remove("is-over"); });
  document.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    box.classList.remove("is-over");
    input.files = event.dataTransfer.files;
    if (input.files.length) send();
  });
  input.addEventListener("change", () => { if (input.files.length) send(); });
  addEventListener("pageshow", () => { // back from the next page
    form.querySelector(".drop-wait").hidden = true;
    form.querySelector(".btn-primary").disabled = false;
  });
})();
