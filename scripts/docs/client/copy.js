import { element } from "./dom.js";

const exampleOrigin = "http://127.0.0.1:7100";

/** Examples call the service that the page came from. */
export function showOwnOrigin() {
  if (location.origin === exampleOrigin) return;
  const texts = document.createTreeWalker(document.getElementById("content"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const isCode = text.parentElement.closest("pre") !== null;
    if (isCode && text.data.includes(exampleOrigin)) text.data = text.data.replaceAll(exampleOrigin, location.origin);
  }
}

/** Each block of code gets a button that copies it. */
export function addCopyButtons() {
  for (const figure of document.querySelectorAll("figure.code:not(.output)")) {
    const button = element("button", { type: "button", class: "copy", onclick: () => copy(figure, button) }, "Copy");
    figure.append(button);
  }
}

async function copy(figure, button) {
  const text = figure.querySelector("code").textContent;
  try {
    await navigator.clipboard.writeText(figure.dataset.language === "console" ? commandsOf(text) : text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => {
    button.textContent = "Copy";
  }, 1500);
}

/** The commands of a console without what they print. */
function commandsOf(text) {
  const lines = [];
  let isCommand = false;
  for (const line of text.split("\n")) {
    const starts = line.startsWith("$ ");
    if (starts || isCommand) lines.push(starts ? line.slice(2) : line);
    isCommand = (starts || isCommand) && line.endsWith("\\");
  }
  return lines.join("\n");
}
