// A wide table has its headings on each cell, for narrow screens (site.css). A long one is filtered by what is written
// above it, and sorted by its headings: a column of numbers by size.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("article table.docutils")) {
    const body = table.tBodies[0];
    const heads = table.tHead ? [...table.tHead.rows[0].cells] : [];
    if (!body || heads.length < 4) continue;
    table.classList.add("rows");
    for (const row of body.rows) [...row.cells].forEach((cell, column) => {
      cell.dataset.label = heads[column].textContent;
    });
    if (body.rows.length < 50) continue;
    const filter = document.createElement("input");
    filter.type = "search";
    filter.placeholder = filter.ariaLabel = "filter: a word of a claim, a verdict, ...";
    filter.className = "filter";
    filter.addEventListener("input", () => {
      const words = filter.value.toLowerCase().split(/\s+/);
      for (const row of body.rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
    table.before(filter);
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.append(...head.childNodes);
      head.append(button);
      let up = -1;
      button.addEventListener("click", () => {
        up = -up;
        const text = (row) => row.cells[column].textContent.trim();
        const number = (row) => parseFloat(text(row).replaceAll(",", ""));
        const numbers = [...body.rows].every((row) => text(row) === "" || !Number.isNaN(number(row)));
        const size = (row) => (text(row) === "" ? -Infinity : number(row));
        const order = numbers
          ? (a, b) => up * (size(a) - size(b) || 0)
          : (a, b) => up * text(a).localeCompare(text(b), undefined, { numeric: true });
        body.append(...[...body.rows].sort(order));
      });
    });
  }
});
