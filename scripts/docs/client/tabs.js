import { element } from "./dom.js";

/** Shows one form of an example at a time; the choice holds for all examples of the page. */
export function addTabs() {
  const groups = [...document.querySelectorAll(".tabs")].map(addButtons);
  const choose = (form) => {
    for (const group of groups) group(form);
    dispatchEvent(new Event("shown"));
  };
  document.addEventListener("choose-form", ({ detail }) => choose(detail));
  if (groups.length > 0) choose("curl");
}

function addButtons(tabs) {
  const panels = [...tabs.querySelectorAll(".panel")];
  const name = tabs.dataset.name;
  const buttons = panels.map((panel) => {
    const { form, label } = panel.dataset;
    panel.id = `${name}-${form}`;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-label", `${name} with ${label}`);
    const button = element(
      "button",
      { type: "button", role: "tab", "aria-controls": panel.id, "data-form": form },
      label,
    );
    button.addEventListener("click", () => choose(form));
    return button;
  });
  const list = element("div", { role: "tablist", "aria-label": `Example of ${name}` }, ...buttons);
  list.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length];
    next.focus();
    next.click();
  });
  tabs.prepend(list);
  return (form) => {
    for (const button of buttons) {
      const isChosen = button.dataset.form === form;
      button.setAttribute("aria-selected", String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
    }
    for (const panel of panels) panel.hidden = panel.dataset.form !== form;
  };
}

function choose(form) {
  document.dispatchEvent(new CustomEvent("choose-form", { detail: form }));
}
