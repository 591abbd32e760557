import { element } from "./dom.js";

/** What is shown of an answer. */
const shownMax = 200_000;

/** The token is in this variable's field only: in no storage, no address and no other page. */
const tokenOf = () => document.getElementById("token").value.trim();

let operations = null;

/** A form for each operation of the page, which sends the request and shows the answer. */
export function addTryIt() {
  const buttons = document.querySelectorAll(".try-open");
  if (buttons.length === 0) return;
  const token = document.querySelector(".token-field");
  token.hidden = false;
  token.addEventListener("submit", (event) => event.preventDefault());
  for (const button of buttons) {
    button.hidden = false;
    button.addEventListener("click", () => void open(button));
  }
}

async function open(button) {
  const id = button.dataset.operation;
  button.disabled = true;
  try {
    operations ??= await (await fetch("/docs/operations.json")).json();
  } catch {
    button.disabled = false;
    button.textContent = "The form cannot be loaded. Try again.";
    return;
  }
  const form = createForm(id, operations[id]);
  button.replaceWith(form);
  form.querySelector("input, textarea, button").focus();
}

function createForm(id, operation) {
  const inputs = new Map();
  const field = (kind, name, value, hint, isLong = false) => {
    const input = isLong
      ? element("textarea", { rows: "6", spellcheck: "false" })
      : element("input", { type: "text", spellcheck: "false", autocomplete: "off" });
    input.value = value;
    inputs.set(`${kind} ${name}`, input);
    const label = element("label", {}, element("span", {}, element("code", {}, name), hint ? ` ${hint}` : ""), input);
    return label;
  };
  const file = operation.takesFile ? element("input", { type: "file" }) : null;
  const rows = [
    ...Object.entries(operation.params).map(([name, value]) => field("path", name, value, "")),
    ...operation.query.map(({ name, description, value }) => field("query", name, value, description)),
    ...(operation.body === null ? [] : [field("body", "body", operation.body, "JSON", true)]),
    ...(file ? [element("label", {}, element("span", {}, "The archive"), file)] : []),
  ];
  const output = element("div", { class: "try-answer", "aria-live": "polite" });
  const stop = element("button", { type: "button", class: "try-stop", hidden: true }, "Stop");
  const send = element("button", { type: "submit" }, `Send ${operation.method}`);
  const readField = (kind, name) => inputs.get(`${kind} ${name}`).value;
  const form = element(
    "form",
    { class: "try", "aria-label": `Try ${id}` },
    ...rows,
    element("p", {}, send, " ", stop),
    output,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const body = file ? file.files[0] : operation.body === null ? undefined : readField("body", "body");
    void run(operation, toAddress(operation, readField), body, output, { send, stop });
  });
  return form;
}

/** Always an address of this service: the path begins with one slash and the parameters are escaped. */
function toAddress({ path, query }, readField) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(readField("path", name)));
  const given = query.map(({ name }) => [name, readField("query", name)]).filter(([, value]) => value !== "");
  const search = new URLSearchParams(given).toString();
  return new URL(search === "" ? filled : `${filled}?${search}`, location.origin);
}

async function run(operation, address, body, output, { send, stop }) {
  const controller = new AbortController();
  const token = tokenOf();
  const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
  if (typeof body === "string" && body !== "") headers["content-type"] = "application/json";
  send.disabled = true;
  stop.hidden = false;
  stop.onclick = () => controller.abort();
  output.replaceChildren(element("p", {}, "Waiting for the answer …"));
  try {
    const answer = await fetch(address, {
      ...{ method: operation.method, headers, signal: controller.signal, body: body === "" ? undefined : body },
      ...{ credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer" },
    });
    await show(answer, output, operation.streams);
  } catch (error) {
    const text = error.name === "AbortError" ? "Stopped." : `No answer: ${error.message}.`;
    output.append(element("p", {}, text));
  } finally {
    send.disabled = false;
    stop.hidden = true;
  }
}

async function show(answer, output, streams) {
  const kind = answer.ok ? "good" : "bad";
  const requestId = answer.headers.get("x-request-id");
  const status = element("p", { class: `status ${kind}` }, `${answer.status} ${answer.statusText}`);
  if (requestId) status.append(element("small", {}, ` request id ${requestId}`));
  const code = element("code");
  output.replaceChildren(status);
  if (answer.status === 204) output.append(element("p", {}, "The answer is empty."));
  else output.append(element("pre", { tabindex: "0", "aria-label": "Answer" }, code));
  if (!answer.body) return;
  const isStream = streams && (answer.headers.get("content-type") ?? "").startsWith("text/event-stream");
  const decoder = new TextDecoder();
  let text = "";
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    if (isStream) code.textContent = text.slice(-shownMax);
    else if (text.length > shownMax) break;
  }
  if (!isStream) code.textContent = pretty(text);
}

function pretty(text) {
  if (text.length > shownMax) return `${text.slice(0, shownMax)}\n…`;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
