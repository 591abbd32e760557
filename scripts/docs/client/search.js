import MiniSearch from "minisearch";
import { searchOptions } from "../search-options.ts";
import { element } from "./dom.js";

const resultsMax = 12;

/** A dialog that searches all pages. The index is loaded when it opens first. */
export function addSearch() {
  const list = element("ul", { role: "listbox", id: "results", "aria-label": "Results" });
  const note = element("p", { class: "note", role: "status" });
  const field = element("input", {
    ...{ type: "text", role: "combobox", "aria-label": "Search the documentation", "aria-controls": "results" },
    ...{ "aria-expanded": "false", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false" },
    placeholder: "Search the documentation",
  });
  const dialog = element("dialog", { class: "search", "aria-label": "Search" }, field, note, list);
  document.body.append(dialog);
  let index = null;

  async function open() {
    dialog.showModal();
    field.select();
    try {
      index ??= MiniSearch.loadJS(await (await fetch("/docs/search.json")).json(), searchOptions);
      show();
    } catch {
      note.textContent = "The index of the search cannot be loaded. Try again.";
    }
  }

  function show() {
    const text = field.value.trim();
    const found = text === "" ? [] : find(index, text);
    list.replaceChildren(...found.map(toItem));
    note.textContent = text === "" ? "Type a word, an operation, a setting or an error code." : describe(found, text);
    select(list.firstElementChild);
  }

  function select(item) {
    for (const other of list.children) other.setAttribute("aria-selected", String(other === item));
    field.setAttribute("aria-expanded", String(list.children.length > 0));
    if (item) field.setAttribute("aria-activedescendant", item.id);
    else field.removeAttribute("aria-activedescendant");
    item?.scrollIntoView({ block: "nearest" });
  }

  field.addEventListener("input", () => index && show());
  field.addEventListener("keydown", (event) => {
    const chosen = list.querySelector("[aria-selected=true]");
    if (event.key === "ArrowDown") select(chosen?.nextElementSibling ?? list.firstElementChild);
    else if (event.key === "ArrowUp") select(chosen?.previousElementSibling ?? list.lastElementChild);
    else if (event.key === "Enter") chosen?.click();
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select") !== null;
    const isShortcut = (event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (!isShortcut || dialog.open) return;
    event.preventDefault();
    void open();
  });
  const button = document.querySelector(".search-open");
  button.hidden = false;
  button.addEventListener("click", () => void open());
}

function find(index, text) {
  const options = { prefix: true, fuzzy: 0.2, boost: { title: 4, page: 2 }, combineWith: "AND" };
  const strict = index.search(text, options);
  const found = strict.length > 0 ? strict : index.search(text, { ...options, combineWith: "OR" });
  return found.slice(0, resultsMax);
}

function describe(found, text) {
  if (found.length === 0) return `Nothing found for “${text}”.`;
  return `${found.length === resultsMax ? `The first ${resultsMax}` : found.length} results`;
}

function toItem({ id, title, page, section, excerpt }, position) {
  const path = title === page ? section : `${section} › ${page}`;
  const lines = [element("strong", {}, title), element("small", {}, path), element("span", {}, excerpt)];
  const names = { role: "option", id: `result-${position}`, "aria-selected": "false", "data-target": id };
  return element("li", { ...names, onclick: () => location.assign(id) }, ...lines);
}
