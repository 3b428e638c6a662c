import { randomInt } from "node:crypto";
import { standIns } from "./stand-ins.ts";
import type { UpState } from "./up-state.ts";

/** Text for the terminal once everything runs: addresses, login and key, and commands to try. */
export function describeStart(state: UpState, namespace: string, folder: string): string {
  const { apiUrl, receiverUrl, temporalUiUrl, admin, apiKey } = state;
  const rows = [
    ["Dashboard", apiUrl],
    ["API", `${apiUrl}/api/v1`],
    ["API docs", `${apiUrl}/docs`],
    ["Web chat", `${apiUrl}/demo  (a shop with the chat of the demo account)`],
    ["Temporal UI", temporalUiUrl ?? `not known; the server is ${state.temporalAddress}`],
    ["Receiver", `${receiverUrl}  (an example that verifies what it gets)`],
    ...standIns.map(({ key, row: [name, words] }) => {
      const url = state.standIns[key];
      return [name, url === undefined ? null : `${url}  ${words}`];
    }),
    ["Login", admin === null ? null : `${admin.email}  ${admin.password ?? "(your own password)"}`],
    ["API key", apiKey],
    ["Files", `${folder}  (up.json, log/)`],
  ];
  const table = rows
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `  ${name?.padEnd(12)} ${value}`);
  const tries = apiKey === null ? [] : ["", "Try it:", ...commandsToTry(state, apiKey, namespace)];
  return ["", ...table, ...tries, ""].join("\n");
}

/**
 * Commands that can be pasted unchanged. The contact has another email at each start, so that an
 * event is published.
 */
function commandsToTry(state: UpState, apiKey: string, namespace: string): string[] {
  const number = randomInt(1_000, 10_000);
  const contact = JSON.stringify({ name: "Grace Hopper", email: `grace.${number}@example.com` });
  const post = [
    `curl -sS ${state.apiUrl}/api/v1/contacts`,
    `-H 'Authorization: Bearer ${apiKey}'`,
    "-H 'Content-Type: application/json'",
    `-d '${contact}'`,
  ];
  const ui = `${state.temporalUiUrl}/namespaces/${namespace}/workflows`;
  return [
    "  1. Create a contact:",
    `     ${post.join(" ")}`,
    "  2. See its signed webhook at the receiver, the newest first:",
    `     curl -sS ${state.receiverUrl}/`,
    "  3. See the workflow that delivered it:",
    `     ${state.temporalUiUrl === null ? "(set TEMPORAL_UI_URL to get a link)" : ui}`,
    '  4. In the inbox of the Dashboard, choose "Test as a customer" and write. The agent answers:',
    "     Quiero una cita el jueves por la tarde",
    ...(state.standIns["meta"] === undefined
      ? []
      : [
          "  5. Write over WhatsApp, Messenger or Instagram, and send a picture:",
          `     ${state.standIns["meta"]}/`,
        ]),
  ];
}
