import { expect, test } from "vitest";
import {
  contactSource,
  contactSources,
  roles,
  scopes,
  type Principal,
} from "../../../core/model/principal.ts";

test("the scopes are the contract's five", () => {
  expect(scopes).toEqual([
    "conversations:read",
    "conversations:write",
    "bot:manage",
    "contacts:read",
    "contacts:write",
  ]);
});

test("people are admins or agents", () => {
  expect(roles).toEqual(["admin", "agent"]);
});

const principals: [Principal, string][] = [
  [{ type: "contact", accountId: 1 }, "conversation"],
  [{ type: "user", accountId: 1, userId: 2, role: "agent" }, "panel"],
  [{ type: "import", accountId: 1 }, "panel"],
  [{ type: "calendar", accountId: 1 }, "panel"],
  [{ type: "api_key", accountId: 1, apiKeyId: 2, scopes: ["contacts:write"] }, "api"],
  [{ type: "inbound_endpoint", accountId: 1, endpointId: 2 }, "api"],
  [{ type: "system", accountId: 1 }, "api"],
  [{ type: "agent", accountId: 1 }, "agent"],
];

test.each(principals)("a contact event caused by %o carries source %s", (principal, source) => {
  expect(contactSource(principal)).toBe(source);
  expect(contactSources).toContain(source);
});
