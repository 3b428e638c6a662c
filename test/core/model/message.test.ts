import { describe, expect, test } from "vitest";
import {
  contentPreview,
  mayBecome,
  messageSendBody,
  messageStatuses,
  messageTypes,
  judgeWindow,
  messagingWindow,
  type MessageStatus,
  type WindowFacts,
} from "../../../core/model/message.ts";

const ways: Record<MessageStatus, MessageStatus[]> = {
  received: [],
  queued: ["sending", "sent", "delivered", "read", "failed", "cancelled"],
  sending: ["sent", "delivered", "read", "failed", "cancelled"],
  sent: ["delivered", "read", "failed"],
  delivered: ["read"],
  read: [],
  failed: [],
  cancelled: [],
};

test.each(messageStatuses)("from %s a message goes forward only", (now) => {
  expect(messageStatuses.filter((next) => mayBecome(now, next))).toEqual(ways[now]);
});

test("reports in any order end where reports in the right order end", () => {
  const reports: MessageStatus[] = ["sent", "delivered", "read"];
  for (const first of reports) {
    for (const second of reports) {
      let status: MessageStatus = "sending";
      for (const report of [first, second]) if (mayBecome(status, report)) status = report;
      expect(status).toBe(reports[Math.max(reports.indexOf(first), reports.indexOf(second))]);
    }
  }
});

test("a preview is the first 160 characters, whole ones", () => {
  const preview = (content: string) => contentPreview({ type: "text", content });
  expect(preview("Hola")).toBe("Hola");
  expect(preview("x".repeat(160))).toBe("x".repeat(160));
  expect(preview(`${"x".repeat(160)}y`)).toBe("x".repeat(160));
  expect(preview(`${"x".repeat(159)}😀😀`)).toBe(`${"x".repeat(159)}😀`);
  expect(preview("😀".repeat(161))).toBe("😀".repeat(160));
});

test("what has no text shows its type in brackets, media with a caption the caption", () => {
  for (const type of messageTypes) {
    expect(contentPreview({ type, content: null })).toBe(`[${type}]`);
    expect(contentPreview({ type, content: "" })).toBe(`[${type}]`);
    expect(contentPreview({ type, content: "caption" })).toBe("caption");
  }
});

const now = new Date("2026-03-02T14:05:11.214Z");
const ago = (ms: number) => new Date(now.getTime() - ms);
const day = 86_400_000;

const facts: WindowFacts = {
  channel: "whatsapp",
  driver: "whatsapp_cloud",
  humanAgent: false,
  lastCustomerMessageAt: null,
};

test.each<[string, Partial<WindowFacts>, boolean, string | null]>([
  ["the sandbox has no window", { driver: "sandbox" }, true, null],
  [
    "web chat has none either, whatever carries it",
    { channel: "web", lastCustomerMessageAt: ago(2 * day) },
    true,
    null,
  ],
  ["it is closed before the customer has written", {}, false, null],
  [
    "it is open for 24 hours",
    { channel: "instagram", lastCustomerMessageAt: ago(day - 1) },
    true,
    "2026-03-02T14:05:11.215Z",
  ],
  [
    "at 24 hours it is closed",
    { channel: "facebook", lastCustomerMessageAt: ago(day) },
    false,
    "2026-03-02T14:05:11.214Z",
  ],
])("messaging window: %s", (_, given, open, expires_at) => {
  const window = { open, expires_at, human_expires_at: null };
  expect(messagingWindow({ ...facts, ...given }, now)).toStrictEqual(window);
});

describe("the window of a person on Messenger and Instagram", () => {
  const approved = { ...facts, driver: "messenger", humanAgent: true };

  test.each(["facebook", "instagram"] as const)("%s: 7 days, once approved", (channel) => {
    const late = { ...approved, channel, lastCustomerMessageAt: ago(2 * day) };
    const window = messagingWindow(late, now);
    expect(window).toStrictEqual({
      open: false,
      expires_at: ago(day).toISOString(),
      human_expires_at: ago(-5 * day).toISOString(),
    });
    expect(judgeWindow(window, "user", now)).toBe("tagged");
    for (const sender of ["ai", "api", "system"] as const) {
      expect(judgeWindow(window, sender, now)).toBe("closed");
    }
    expect(messagingWindow({ ...late, humanAgent: false }, now).human_expires_at).toBeNull();
  });

  test("WhatsApp has no such window", () => {
    const late = { ...approved, channel: "whatsapp", lastCustomerMessageAt: ago(2 * day) } as const;
    expect(judgeWindow(messagingWindow(late, now), "user", now)).toBe("closed");
  });

  test("after 7 days it is closed, and within 24 hours nobody needs it", () => {
    const facebook = { ...approved, channel: "facebook" } as const;
    const over = messagingWindow({ ...facebook, lastCustomerMessageAt: ago(7 * day) }, now);
    expect(judgeWindow(over, "user", now)).toBe("closed");
    const early = messagingWindow({ ...facebook, lastCustomerMessageAt: ago(1_000) }, now);
    expect(judgeWindow(early, "ai", now)).toBe("open");
  });
});

const interactive = { kind: "buttons", body: "Sure?", options: [{ id: "y", title: "Yes" }] };
const url = "https://x.example/a.jpg";
const template = { name: "hello", language: "es_MX" };

test.each<[unknown, unknown]>([
  [{ content: "Hola" }, { type: "text", content: "Hola" }],
  [{ content: "a\ud800b" }, { type: "text", content: "a\ufffdb" }],
  [
    { type: "text", content: "x".repeat(4_096) },
    { type: "text", content: "x".repeat(4_096) },
  ],
  [
    { type: "image", media_url: url },
    { type: "image", media_url: url },
  ],
  [
    { type: "audio", media_url: url, content: "caption" },
    { type: "audio", media_url: url, content: "caption" },
  ],
  [
    { type: "video", media_url: `${url}\ud800` },
    { type: "video", media_url: `${url}\ufffd` },
  ],
  [
    { type: "template", template },
    { type: "template", template: { ...template, params: [] } },
  ],
  [
    { type: "template", template: { name: "n\ud800", language: "es", params: ["\udc00"] } },
    { type: "template", template: { name: "n\ufffd", language: "es", params: ["\ufffd"] } },
  ],
  [
    { type: "interactive", interactive },
    { type: "interactive", interactive },
  ],
  [
    { content: "x", reply_to_message_id: 5, external_id: "a-1" },
    { type: "text", content: "x", reply_to_message_id: 5, external_id: "a-1" },
  ],
])("the body %j is taken", (body, parsed) => {
  expect(messageSendBody.parse(body)).toStrictEqual(parsed);
});

test.each<[unknown, string[]]>([
  [{}, ["content"]],
  [{ content: "" }, ["content"]],
  [{ content: " \n" }, ["content"]],
  [{ content: "x".repeat(4_097) }, ["content"]],
  [{ content: 5 }, ["content"]],
  [{ content: "x", media_url: url }, ["media_url"]],
  [{ content: "x", template }, ["template"]],
  [{ type: "image" }, ["media_url"]],
  [{ type: "video", content: "caption" }, ["media_url"]],
  [{ type: "document", media_url: "http://x.example/a" }, ["media_url"]],
  [{ type: "document", media_url: "ftp://x.example/a" }, ["media_url"]],
  [{ type: "document", media_url: "a.jpg" }, ["media_url"]],
  [{ type: "document", media_url: `${url}?${"x".repeat(2_048)}` }, ["media_url"]],
  [{ type: "template" }, ["template"]],
  [{ type: "template", template, content: "x" }, ["content"]],
  [{ type: "template", template: { name: "", language: "es" } }, ["template.name"]],
  [{ type: "template", template: { name: "n", language: "Spanish" } }, ["template.language"]],
  [{ type: "template", template: { name: "n", language: "es", x: 1 } }, ["template"]],
  [
    { type: "template", template: { ...template, params: Array.from({ length: 51 }, () => "p") } },
    ["template.params"],
  ],
  [{ type: "interactive" }, ["interactive"]],
  [{ type: "interactive", interactive, content: "x" }, ["content"]],
  [{ content: "x", interactive }, ["interactive"]],
  [{ type: "interactive", interactive: { ...interactive, x: 1 } }, ["interactive"]],
  [{ type: "sticker", media_url: url }, ["type"]],
  [{ type: "location", content: "x" }, ["type"]],
  [{ type: "unsupported", content: "x" }, ["type"]],
  [{ content: "x", reply_to_message_id: 0 }, ["reply_to_message_id"]],
  [{ content: "x", reply_to_message_id: "5" }, ["reply_to_message_id"]],
  [{ content: "x", external_id: "" }, ["external_id"]],
  [{ content: "x", external_id: "has blank" }, ["external_id"]],
  [{ content: "x", external_id: "ü" }, ["external_id"]],
  [{ content: "x", external_id: "x".repeat(129) }, ["external_id"]],
  [{ content: "x", sender_type: "ai" }, [""]],
])("the body %j is refused for %j", (body, paths) => {
  const issues = messageSendBody.safeParse(body).error?.issues ?? [];
  expect(issues.map(({ path }) => path.join("."))).toEqual(paths);
});

test("a field that a type does not take is told apart from one that it lacks", () => {
  const codes = (body: unknown) =>
    messageSendBody
      .safeParse(body)
      .error?.issues.map((issue) => [
        issue.path[0],
        issue.code === "custom" ? issue.params?.["code"] : issue.code,
      ]);
  expect(codes({ type: "template", content: "x", media_url: url })).toEqual([
    ["content", "not_allowed"],
    ["media_url", "not_allowed"],
    ["template", "required"],
  ]);
});
