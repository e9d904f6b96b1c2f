// A long table of the results is filtered by what is written above it, and sorted by its headings.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("article table.docutils")) {
    const body = table.tBodies[0];
    if (!body || body.rows.length < 50) continue;
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
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.append(...head.childNodes);
      head.append(button);
      let up = -1;
      button.addEventListener("click", () => {
        up = -up;
        const text = (row) => row.cells[column].textContent;
        const order = (a, b) => up * text(a).localeCompare(text(b), undefined, { numeric: true });
        body.append(...[...body.rows].sort(order));
      });
    });
  }
});
