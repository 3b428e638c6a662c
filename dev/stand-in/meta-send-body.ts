import { z } from "zod";
import type { MetaNetwork } from "./meta-accounts.ts";
import type { MetaRefusal } from "./meta-scripts.ts";
import type { SentTemplate } from "./meta-template-sends.ts";

/** A send that Meta understood. `to` is null where WhatsApp takes the body and sends nothing. */
export interface MetaSend {
  kind: "message" | "read" | "typing";
  to: string | null;
  /** The text that the customer sees, in short. */
  text: string;
  /** Given back by statuses of WhatsApp, or by echoes of Messenger. */
  callbackData: string | null;
  /** Of a template: its name and values. */
  template: SentTemplate | null;
}

const media = z
  .strictObject({ id: z.string().optional(), link: z.url().optional() })
  .refine(({ id, link }) => (id === undefined) !== (link === undefined), "one of id and link");
const captioned = z.strictObject({ ...media.shape, caption: z.string().max(1_024).optional() });
const title = (max: number) => z.string().min(1).max(max);
const note = z.strictObject({ text: title(60) });
const replyButton = z.strictObject({
  type: z.literal("reply"),
  reply: z.strictObject({ id: title(256), title: title(20) }),
});
const row = z.strictObject({
  id: title(200),
  title: title(24),
  description: z.string().max(72).optional(),
});
const section = z.strictObject({ title: title(24).optional(), rows: z.array(row).min(1).max(10) });
const interactiveParts = {
  header: z.strictObject({ type: z.literal("text"), text: title(60) }).optional(),
  footer: note.optional(),
};
const interactive = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("button"),
    ...interactiveParts,
    body: z.strictObject({ text: title(1_024) }),
    action: z.strictObject({ buttons: z.array(replyButton).min(1).max(3) }),
  }),
  z.strictObject({
    type: z.literal("list"),
    ...interactiveParts,
    body: z.strictObject({ text: title(4_096) }),
    action: z
      .strictObject({ button: title(20), sections: z.array(section).min(1).max(10) })
      .refine(
        ({ sections }) => sections.flatMap(({ rows }) => rows).length <= 10,
        "at most 10 rows",
      ),
  }),
]);
const template = z.strictObject({
  name: title(512),
  language: z.strictObject({ code: title(20), policy: z.literal("deterministic").optional() }),
  components: z
    .array(
      z.strictObject({
        type: z.enum(["header", "body", "button"]),
        sub_type: z.enum(["url", "quick_reply", "copy_code", "flow"]).optional(),
        index: z.union([z.string(), z.int()]).optional(),
        parameters: z.array(z.looseObject({ type: z.string() })),
      }),
    )
    .optional(),
});

const head = {
  messaging_product: z.literal("whatsapp"),
  recipient_type: z.literal("individual").optional(),
  to: z.string().min(1).optional(),
  recipient: z.string().min(1).optional(),
  context: z.strictObject({ message_id: z.string().min(1) }).optional(),
  biz_opaque_callback_data: z.string().max(512).optional(),
};
const point = { latitude: z.number(), longitude: z.number() };
const text = z.strictObject({ preview_url: z.boolean().optional(), body: title(4_096) });
const document = z.strictObject({ ...captioned.shape, filename: z.string().optional() });
const reaction = z.strictObject({ message_id: z.string().min(1), emoji: z.string() });
const location = z.strictObject({
  ...point,
  name: z.string().optional(),
  address: z.string().optional(),
});

const whatsAppMessage = z.discriminatedUnion("type", [
  z.strictObject({ ...head, type: z.literal("text"), text }),
  z.strictObject({ ...head, type: z.literal("image"), image: captioned }),
  z.strictObject({ ...head, type: z.literal("video"), video: captioned }),
  z.strictObject({ ...head, type: z.literal("audio"), audio: media }),
  z.strictObject({ ...head, type: z.literal("document"), document }),
  z.strictObject({ ...head, type: z.literal("sticker"), sticker: media }),
  z.strictObject({ ...head, type: z.literal("location"), location }),
  z.strictObject({ ...head, type: z.literal("reaction"), reaction }),
  z.strictObject({ ...head, type: z.literal("interactive"), interactive }),
  z.strictObject({ ...head, type: z.literal("template"), template }),
]);
const whatsAppRead = z.strictObject({
  messaging_product: z.literal("whatsapp"),
  status: z.literal("read"),
  message_id: z.string().min(1),
  typing_indicator: z.strictObject({ type: z.literal("text") }).optional(),
});

const quickReply = z.strictObject({
  content_type: z.literal("text"),
  title: title(20),
  payload: title(1_000),
  image_url: z.url().optional(),
});
const attachment = z.strictObject({
  type: z.enum(["image", "video", "audio", "file"]),
  payload: z.strictObject({
    url: z.url().optional(),
    attachment_id: z.string().optional(),
    is_reusable: z.boolean().optional(),
  }),
});
const message = z
  .strictObject({
    text: z.string().min(1).optional(),
    attachment: attachment.optional(),
    quick_replies: z.array(quickReply).min(1).max(13).optional(),
    metadata: z.string().max(1_000).optional(),
  })
  .refine(
    (one) => (one.text === undefined) !== (one.attachment === undefined),
    "text or attachment",
  );
const recipient = z.strictObject({ id: z.string().min(1) });
const replyTo = { reply_to: z.strictObject({ mid: z.string().min(1) }).optional() };
const tag = z.literal("HUMAN_AGENT").optional();
const messengerMessage = z.strictObject({
  recipient,
  messaging_type: z.enum(["RESPONSE", "UPDATE", "MESSAGE_TAG"]),
  tag,
  message,
  ...replyTo,
});
const instagramMessage = z.strictObject({
  recipient,
  messaging_type: z.enum(["RESPONSE", "UPDATE", "MESSAGE_TAG"]).optional(),
  tag,
  message,
  ...replyTo,
});
const senderAction = z.strictObject({
  recipient,
  sender_action: z.enum(["typing_on", "typing_off", "mark_seen"]),
});

/** Reads the body of a send, as strictly as Meta does at its strictest. */
export function readSend(network: MetaNetwork, body: unknown): MetaSend | MetaRefusal {
  return network === "whatsapp" ? readWhatsApp(body) : readMessaging(network, body);
}

function has(body: unknown, name: string): boolean {
  return typeof body === "object" && body !== null && name in body;
}

function readWhatsApp(body: unknown): MetaSend | MetaRefusal {
  if (has(body, "status")) {
    const read = whatsAppRead.safeParse(body);
    if (!read.success) return refuse(read.error);
    const kind = read.data.typing_indicator === undefined ? "read" : "typing";
    return { kind, to: null, text: "", callbackData: null, template: null };
  }
  const typed = has(body, "type") ? body : { type: "text", ...Object(body) };
  const parsed = whatsAppMessage.safeParse(typed);
  if (!parsed.success) return refuse(parsed.error);
  const { data } = parsed;
  if (data.to === undefined && data.recipient === undefined) {
    return { http: 400, code: 131_008, message: "Required parameter is missing: to or recipient" };
  }
  return {
    kind: "message",
    to: data.recipient ?? data.to ?? null,
    text: textOf(data),
    callbackData: data.biz_opaque_callback_data ?? null,
    template: data.type === "template" ? data.template : null,
  };
}

function textOf(data: z.output<typeof whatsAppMessage>): string {
  switch (data.type) {
    case "text":
      return data.text.body;
    case "image":
      return `[image] ${data.image.caption ?? ""}`;
    case "video":
      return `[video] ${data.video.caption ?? ""}`;
    case "document":
      return `[document] ${data.document.filename ?? ""} ${data.document.caption ?? ""}`;
    case "reaction":
      return data.reaction.emoji;
    case "interactive":
      return data.interactive.body.text;
    case "template":
      return `[template ${data.template.name}]`;
    case "audio":
    case "sticker":
    case "location":
      return `[${data.type}]`;
  }
}

function readMessaging(network: "messenger" | "instagram", body: unknown): MetaSend | MetaRefusal {
  if (has(body, "sender_action")) {
    const action = senderAction.safeParse(body);
    if (!action.success) return refuse(action.error);
    const kind = action.data.sender_action === "mark_seen" ? "read" : "typing";
    return { kind, to: action.data.recipient.id, text: "", callbackData: null, template: null };
  }
  const parsed = (network === "messenger" ? messengerMessage : instagramMessage).safeParse(body);
  if (!parsed.success) return refuse(parsed.error);
  const { message: sent, recipient: to, messaging_type: type, tag: given } = parsed.data;
  if ((type === "MESSAGE_TAG") !== (given !== undefined)) {
    return { http: 400, code: 100, message: "(#100) Param tag must be given with MESSAGE_TAG" };
  }
  const tooLong = judgeLength(network, sent.text ?? "");
  if (tooLong !== null) return tooLong;
  const shown = sent.text ?? `[${sent.attachment?.type}]`;
  return {
    kind: "message",
    to: to.id,
    text: shown,
    callbackData: sent.metadata ?? null,
    template: null,
  };
}

function judgeLength(network: "messenger" | "instagram", sent: string): MetaRefusal | null {
  const isMessenger = network === "messenger";
  const isShort = isMessenger ? sent.length <= 2_000 : Buffer.byteLength(sent) < 1_000;
  if (isShort) return null;
  const limit = isMessenger ? "at most 2000 characters" : "less than 1000 bytes";
  return { http: 400, code: 100, message: `(#100) Length of param message[text] must be ${limit}` };
}

function refuse(error: z.ZodError): MetaRefusal {
  const [issue] = error.issues;
  const place = issue?.path.join(".") ?? "";
  const words =
    issue?.code === "unrecognized_keys"
      ? `Unexpected key "${issue.keys.join('", "')}" on param "${place}"`
      : `Invalid parameter ${place}: ${issue?.message}`;
  return { http: 400, code: 100, message: `(#100) ${words}` };
}
