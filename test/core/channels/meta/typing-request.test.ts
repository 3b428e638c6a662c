import { expect, test } from "vitest";
import type { MetaSender } from "../../../../core/channels/meta/send-request.ts";
import { buildTypingRequests } from "../../../../core/channels/meta/typing-request.ts";
import { readSend } from "../../../../dev/stand-in/meta-send-body.ts";

const parentId = "178";

test.each<["whatsapp" | "messenger" | "instagram", MetaSender, string, string[]]>([
  ["whatsapp", { driver: "whatsapp_cloud", externalId: "1065", parentId }, "/1065", ["typing"]],
  ["messenger", { driver: "messenger", externalId: "178", parentId }, "/178", ["read", "typing"]],
  [
    "instagram",
    { driver: "instagram_page", externalId: "9", parentId },
    "/178",
    ["read", "typing"],
  ],
  ["instagram", { driver: "instagram_login", externalId: "9", parentId }, "/9", ["read", "typing"]],
])("a strict reader of %s takes our signs: %j", (network, sender, path, kinds) => {
  const requests = buildTypingRequests(sender, "7001", "mid.1");
  expect(requests.map(({ body }) => readSend(network, body))).toMatchObject(
    kinds.map((kind) => ({ kind })),
  );
  expect(new Set(requests.map((one) => one.path))).toEqual(new Set([`${path}/messages`]));
});
