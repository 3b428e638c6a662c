/** The script of the page. It asks for the state every second, and draws what changed. */
export const metaPageScript = `
const byId = (id) => document.getElementById(id);
let state = null;
let network = "whatsapp";

async function call(path, body) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch("/control" + path, { method: "POST", headers, body: JSON.stringify(body) });
  const data = await answer.json();
  byId("problem").textContent = data.error ?? data.problem ?? "";
  await refresh();
  return data;
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function fillSelect(select, options) {
  if (select.options.length > 0) return;
  for (const [value, text] of options) select.add(new Option(text, value));
}

function drawLines() {
  const talk = byId("talk");
  const customer = state.customers[network];
  const ids = [customer.id, customer.userId];
  const lines = state.lines.filter((line) => line.network === network && ids.includes(line.customerId));
  const atEnd = talk.scrollTop + talk.clientHeight >= talk.scrollHeight - 40;
  talk.replaceChildren(...lines.map((line) => {
    const row = element("li", line.isOurs ? "line ours" : "line theirs");
    row.append(element("p", "words", line.text));
    if (line.picture !== null) {
      const picture = element("img", "picture");
      picture.src = "/control/files/" + line.picture;
      picture.alt = "Picture of " + (line.isOurs ? "the business" : customer.name);
      row.append(picture);
    }
    const time = new Date(line.at).toLocaleTimeString();
    const who = line.isOurs ? "Business" : customer.name;
    row.append(element("p", "facts", [who, time, line.status].filter(Boolean).join(" · ")));
    const pick = element("button", "pick", "Answer");
    pick.type = "button";
    pick.setAttribute("aria-label", "Answer or change: " + line.text);
    pick.onclick = () => { byId("target").value = line.messageId; byId("text").focus(); };
    row.append(pick);
    return row;
  }));
  if (lines.length === 0) talk.append(element("li", "empty", "Nothing yet. Write below as " + customer.name + "."));
  if (atEnd) talk.scrollTop = talk.scrollHeight;
}

function partsOf({ body }) {
  const changes = body.entry.flatMap((one) => one.changes ?? []);
  const events = body.entry.flatMap((one) => one.messaging ?? []);
  const names = [
    ...changes.flatMap(({ value }) => value.messages ?? []).map((one) => one.type),
    ...changes.flatMap(({ value }) => value.statuses ?? []).map((one) => one.status),
    ...changes.flatMap(({ value }) => value.message_echoes ?? []).map(() => "echo"),
    ...events.map((one) => one.message?.is_echo ? "echo"
      : ["message", "message_edit", "postback", "reaction", "delivery", "read"].find((name) => name in one)),
  ];
  return body.object.split("_")[0] + " " + names.join(", ");
}

function describe(delivery) {
  const answers = delivery.answers.map((one) => one === 0 ? "no answer" : one).join(", ");
  return partsOf(delivery) + " · " + (answers || "under way") + (delivery.isDone ? "" : " · tries again");
}

function drawLog(list, entries) {
  list.replaceChildren(...entries.map(({ title, isBad, body }) => {
    const row = document.createElement("li");
    const details = document.createElement("details");
    details.append(element("summary", isBad ? "bad" : "", title));
    details.append(element("pre", "", JSON.stringify(body, null, 1)));
    row.append(details);
    return row;
  }));
  if (entries.length === 0) list.append(element("li", "empty", "None yet."));
}

function draw() {
  const account = state.accounts.find((one) => one.network === network);
  byId("account").textContent = state.customers[network].name + " writes to " + (account?.name ?? "nobody");
  byId("callback").textContent = state.callback ?? "no callback yet";
  for (const tab of document.querySelectorAll("[data-network]"))
    tab.setAttribute("aria-pressed", String(tab.dataset.network === network));
  byId("held").textContent = state.held === null ? "" : "Held back: " + state.held;
  fillSelect(byId("kind"), state.kinds.map((kind) => [kind, kind.replaceAll("_", " ")]));
  fillSelect(byId("script"), Object.entries(state.scripts).map(([name, about]) => [name, name + ": " + about]));
  if (document.activeElement !== byId("script")) byId("script").value = state.script;
  drawLines();
  const isOpen = document.querySelector("details[open] pre") !== null;
  if (isOpen) return;
  drawLog(byId("webhooks"), state.webhooks.toReversed().map((one) => ({
    title: describe(one), isBad: one.answers.at(-1) !== 200, body: one.body })));
  drawLog(byId("calls"), state.calls.toReversed().map((one) => ({
    title: one.network + " · " + (one.answered || "no answer") + " · " + one.script,
    isBad: one.answered !== 200, body: one.body })));
}

let drawn = "";
async function refresh() {
  try {
    const text = await (await fetch("/control/state")).text();
    state = JSON.parse(text);
    if (text === drawn) return;
    drawn = text;
    draw();
  } catch {
    byId("problem").textContent = "The stand-in does not answer.";
  }
}

for (const tab of document.querySelectorAll("[data-network]"))
  tab.onclick = () => { network = tab.dataset.network; byId("target").value = ""; draw(); };
async function readFile(file) {
  const url = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  const mime = file.type || "application/octet-stream";
  return { mime, filename: file.name, base64: url.slice(url.indexOf(",") + 1) };
}

byId("write").onsubmit = async (event) => {
  event.preventDefault();
  const deed = { network, kind: byId("kind").value, text: byId("text").value };
  const file = byId("file").files[0];
  if (file !== undefined) {
    const { id, kind, error } = await call("/files", await readFile(file));
    if (error !== undefined) return;
    deed.media = id;
    deed.kind = kind;
  }
  if (byId("target").value !== "") deed.targetId = byId("target").value;
  const { error } = await call("/messages", deed);
  if (error !== undefined) return;
  byId("text").value = "";
  byId("file").value = "";
  byId("target").value = "";
};
byId("script").onchange = () => call("/script", { name: byId("script").value });
byId("verify").onclick = async () => {
  const { problem } = await call("/verify", {});
  if (problem === null) byId("problem").textContent = "The handshake succeeded.";
};
byId("hold").onclick = () => call("/hold", {});
byId("release").onclick = () => call("/release", {});
byId("shuffle").onclick = () => call("/release", { perWebhook: 3, copies: 2, reversed: true });
refresh();
setInterval(refresh, 1000);
`;
