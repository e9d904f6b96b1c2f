"use strict";
(() => {
  const names = ["paper", "kind", "verdict", "hurt"];
  const fields = names.map((name) => document.getElementById(name));
  const text = document.getElementById("text"), count = document.getElementById("count");
  const form = document.querySelector("form");
  const marked = [...document.querySelectorAll("[data-paper]")];
  const rows = marked.filter((one) => one.tagName === "TR");
  const fits = (one) => fields.every((f) => !f.value || one.dataset[f.id] === f.value)
    && text.value.toLowerCase().split(/\s+/).every((word) => one.dataset.text.includes(word));
  const show = () => {
    for (const one of marked) one.hidden = !fits(one);
    count.textContent = `${rows.filter((one) => !one.hidden).length} of ${rows.length} entries`;
  };
  // the address has the filters after its #, as name=value&name=value; an entry's id has no = in it
  const keep = () => {
    const asked = new URLSearchParams();
    for (const field of [...fields, text]) if (field.value) asked.set(field.id, field.value);
    history.replaceState(null, "", asked.size ? `#${asked}` : location.pathname + location.search);
  };
  const follow = () => {
    const place = decodeURIComponent(location.hash.slice(1));
    if (place.includes("=")) {
      const asked = new URLSearchParams(location.hash.slice(1));
      for (const field of [...fields, text]) field.value = asked.get(field.id) ?? "";
      show();
      (document.getElementById("wrong") ?? document.getElementById("all")).scrollIntoView();
      return;
    }
    const target = place && document.getElementById(place);
    if (!target) return;
    if (target.hidden) { form.reset(); for (const one of marked) one.hidden = false; }
    const inside = target.querySelector("details");
    if (inside) inside.open = true;
    target.scrollIntoView();
  };
  for (const field of [...fields, text]) field.addEventListener("input", () => { show(); keep(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { show(); keep(); }));
  addEventListener("hashchange", follow);

  const order = (cell) => {
    const number = Number.parseFloat(cell.dataset.value ?? "");
    return Number.isNaN(number) ? cell.textContent.trim() : number;
  };
  const heads = [...document.querySelectorAll("#ledger .sort")];
  heads.forEach((button, place) => button.addEventListener("click", () => {
    const head = button.parentElement, down = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.parentElement.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const sorted = rows.map((row) => [order(row.cells[place]), row]).sort(([a], [b]) =>
      typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);
    if (down) sorted.reverse();
    document.querySelector("#ledger tbody").append(...sorted.map(([, row]) => row));
  }));

  document.getElementById("everything").addEventListener("click", () => {
    document.body.classList.add("whole");
    for (const one of document.querySelectorAll("article > details")) one.open = true;
    print();
    document.body.classList.remove("whole");
  });
  show();
  follow();
})();
