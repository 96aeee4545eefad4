// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts and filters the table of layers and passes. Without it the page is complete, but the table
// stays in the order of the layers.
"use strict";
(() => {
  const table = document.getElementById("passes");
  const panel = document.getElementById("filters");
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  const column = (key) => heads.findIndex((head) => head.dataset.key === key);
  const isNumber = heads.map((head) => head.classList.contains("number"));
  const words = new Intl.Collator("en", { numeric: true });

  // What is read once: values by column, null where a cell is empty.
  const rows = Array.from(body.rows, (element, order) => ({
    element,
    order,
    values: Array.from(element.cells, (cell, index) => {
      if (!isNumber[index]) {
        return cell.textContent === "" ? null : cell.textContent;
      }
      return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
    }),
  }));

  // ---- sorting ----

  const compare = (index, sign) => (a, b) => {
    const left = a.values[index];
    const right = b.values[index];
    if (left === null || right === null) {
      // What is empty comes last in either direction.
      return (left === null) - (right === null) || a.order - b.order;
    }
    const difference = isNumber[index] ? left - right : words.compare(left, right);
    return sign * difference || a.order - b.order;
  };

  const sortBy = (index) => {
    const head = heads[index];
    const before = head.getAttribute("aria-sort");
    // What is largest is looked for first; a third time gives the order of the layers again.
    const first = isNumber[index] ? "descending" : "ascending";
    const second = isNumber[index] ? "ascending" : "descending";
    const next = before === null ? first : before === first ? second : null;
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    if (next === null) {
      rows.sort((a, b) => a.order - b.order);
    } else {
      head.setAttribute("aria-sort", next);
      rows.sort(compare(index, next === "ascending" ? 1 : -1));
    }
    body.append(...rows.map((row) => row.element));
  };

  heads.forEach((head, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => sortBy(index));
    head.replaceChildren(button);
  });

  // ---- filtering ----

  const labelled = (text, control) => {
    const label = document.createElement("label");
    label.append(text, control);
    panel.append(label);
    return control;
  };

  const choice = (text, key) => {
    const select = document.createElement("select");
    const index = column(key);
    const found = new Set(rows.map((row) => row.values[index]));
    select.append(new Option("all", ""));
    for (const value of found) {
      if (value !== null) {
        select.append(new Option(value, value));
      }
    }
    select.id = `filter-${key}`;
    labelled(text, select).addEventListener("change", () => filter());
    return { select, index };
  };

  const name = document.createElement("input");
  name.type = "search";
  name.id = "filter-layer";
  name.autocomplete = "off";
  labelled("layer contains", name).addEventListener("input", () => filter());
  const choices = [choice("pass", "pass"), choice("parallelism", "parallelism"),
                   choice("bound", "bound")];
  const least = document.createElement("input");
  least.type = "number";
  least.id = "filter-step";
  least.min = "0";
  least.max = "100";
  least.step = "0.1";
  labelled("at least step %", least).addEventListener("input", () => filter());
  const reset = document.createElement("button");
  reset.type = "button";
  reset.id = "filter-reset";
  reset.textContent = "Show all";
  reset.addEventListener("click", () => {
    name.value = "";
    least.value = "";
    choices.forEach(({ select }) => { select.value = ""; });
    filter();
  });
  const count = document.createElement("output");
  count.id = "filter-count";
  count.setAttribute("aria-live", "polite");
  panel.append(reset, count);

  const layerColumn = column("layer");
  const stepColumn = column("step");

  function filter() {
    const wanted = name.value.toLowerCase();
    const share = Number(least.value) / 100;
    let shown = 0;
    let shownShare = 0;
    for (const row of rows) {
      const isShown = row.values[layerColumn].toLowerCase().includes(wanted)
        && choices.every(({ select, index }) =>
          select.value === "" || row.values[index] === select.value)
        && (row.values[stepColumn] ?? 0) >= share;
      row.element.hidden = !isShown;
      shown += isShown ? 1 : 0;
      shownShare += isShown ? row.values[stepColumn] ?? 0 : 0;
    }
    count.textContent = `${shown} of ${rows.length} passes shown, `
      + `${(100 * shownShare).toFixed(1)} % of the step`;
  }

  filter();
  panel.hidden = false;

  // ---- printing: what is folded is printed too ----

  const folded = [];
  addEventListener("beforeprint", () => {
    for (const element of document.querySelectorAll("details:not([open])")) {
      element.open = true;
      folded.push(element);
    }
  });
  addEventListener("afterprint", () => {
    folded.splice(0).forEach((element) => { element.open = false; });
  });
})();
