import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inboundErrors, voiceErrors } from "../../api/openapi/inbound.ts";
import { errorCatalogue } from "../../core/model/error-catalogue.ts";
import { voiceActions, voiceCall, voiceResults } from "../../core/model/voice.ts";

const page = readFileSync("docs/voice-integrations.md", "utf8");

test("the page names every action, every result and every refusal of its own with its status", () => {
  for (const { event } of voiceActions) expect(page).toMatch(new RegExp(`^\\| \`${event}\``, "mu"));
  for (const result of voiceResults) expect(page).toContain(`\`${result}\``);
  for (const code of voiceErrors.filter((one) => !inboundErrors.includes(one))) {
    expect(page).toMatch(new RegExp(`^\\| ${errorCatalogue[code].status} .*\`${code}\``, "mu"));
  }
});

test("the call that the page shows is one that is taken", () => {
  const shown = /^\{"event".*\}$/mu.exec(page)?.[0] ?? "";
  expect(voiceCall.parse(JSON.parse(shown)).event).toBe("appointment.book");
});
