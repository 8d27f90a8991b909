// The button of a page that is made to be printed.
document.addEventListener("click", ({ target }) => { if (target.closest("[data-print]")) print(); });
