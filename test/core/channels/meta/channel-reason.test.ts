import { expect, test } from "vitest";
import { reasonOfProviderCode } from "../../../../core/channels/meta/channel-reason.ts";

test.each([
  ["190", "token_invalid"],
  ["190/463", "token_expired"],
  ["10", "scope_missing"],
  ["10/33", "scope_missing"],
  ["10/1893063", "account_restricted"],
  ["230", "scope_missing"],
  ["200/2534041", "account_restricted"],
  ["131048", "messages_limited"],
  ["no_token", "provider_refused"],
])("a refusal with %s has the reason %s", (providerCode, expected) => {
  expect(reasonOfProviderCode(providerCode)).toBe(expected);
});
