import type { InboundAttachment, InboundMessage } from "./inbound-item.ts";
import { joinContent, makeAttachment, makeMessage, makeUnsupported } from "./make-message.ts";
import { readFields, readMessageId, readObjects, readText, type Fields } from "./read-json.ts";

const fileKinds: Readonly<Record<string, InboundAttachment["kind"]>> = {
  image: "image",
  video: "video",
  audio: "audio",
  file: "document",
  sticker: "sticker",
  story_mention: "image",
};

/** Attachments that are links with a title: they become text. */
const linkTypes: ReadonlySet<string> = new Set([
  "fallback",
  "share",
  "post",
  "ig_post",
  "reel",
  "ig_reel",
]);

/** A message of Messenger or Instagram in our words. What it cannot say is `unsupported` with `raw`. */
export function readMessagingMessage(id: string, message: Fields): InboundMessage {
  const replyTo = readFields(message["reply_to"]);
  const story = readFields(replyTo?.["story"]);
  const read = readBody(id, message);
  const referral = readFields(message["referral"]);
  return {
    ...read,
    replyToProviderId: readMessageId(replyTo?.["mid"]),
    referral: readOrigin(story, referral, read),
    context: story === null ? read.context : "story_reply",
  };
}

/** The story that the customer answers or mentions us in, else the ad or link of the message. */
function readOrigin(
  story: Fields | null,
  referral: Fields | null,
  { context }: InboundMessage,
): InboundMessage["referral"] {
  if (story !== null) return { ...story, type: "story" };
  if (referral !== null) return { ...referral };
  return context === "story_mention" ? { type: "story_mention" } : null;
}

function readBody(id: string, message: Fields): InboundMessage {
  const attachments = readObjects(message["attachments"]);
  const words = readText(message["text"]);
  if (message["is_unsupported"] === true) return makeUnsupported(id, message);
  const reply = readFields(message["quick_reply"]);
  if (reply !== null) {
    const interactive = { type: "quick_reply", id: readText(reply["payload"]), title: words };
    const content = joinContent([words], "");
    return makeMessage({ providerId: id, contentType: "interactive", content, interactive });
  }
  const links = attachments.filter((one) => linkTypes.has(readText(one["type"]) ?? ""));
  const content = joinContent([words, ...links.flatMap(partsOfLink)], "\n");
  const files = readFiles(attachments);
  const [first] = files;
  if (first !== undefined) {
    const isMention = attachments.some((one) => one["type"] === "story_mention");
    return makeMessage({
      providerId: id,
      contentType: first.kind,
      content,
      attachments: files,
      context: isMention ? "story_mention" : null,
    });
  }
  if (content !== null) return makeMessage({ providerId: id, contentType: "text", content });
  const place = attachments.find((one) => one["type"] === "location");
  if (place === undefined) return makeUnsupported(id, message);
  return makeMessage({ providerId: id, contentType: "location", content: nameOfPoint(place) });
}

/** The title and the address of a shared link or post. */
function partsOfLink(attachment: Fields): (string | null)[] {
  const payload = readFields(attachment["payload"]);
  return [
    readText(attachment["title"]) ?? readText(payload?.["title"]),
    readText(payload?.["url"]) ?? readText(attachment["url"]),
  ];
}

/** Files of a message. A sticker comes as an image and again as a sticker: it is one file. */
function readFiles(attachments: readonly Fields[]): InboundAttachment[] {
  const files = attachments.flatMap((attachment) => {
    const type = readText(attachment["type"]) ?? "";
    const kind = Object.hasOwn(fileKinds, type) ? fileKinds[type] : undefined;
    if (kind === undefined) return [];
    const payload = readFields(attachment["payload"]);
    const isSticker = readText(payload?.["sticker_id"]) !== null;
    return makeAttachment({ kind: isSticker ? "sticker" : kind, url: readText(payload?.["url"]) });
  });
  const sticker = files.find(({ kind }) => kind === "sticker");
  if (sticker === undefined) return files;
  return [{ ...sticker, url: sticker.url ?? files.find(({ url }) => url !== null)?.url ?? null }];
}

function nameOfPoint(attachment: Fields): string | null {
  const at = readFields(readFields(attachment["payload"])?.["coordinates"]);
  const point = [at?.["lat"], at?.["long"]];
  const title = joinContent([readText(attachment["title"])], "");
  return title ?? (point.every((one) => typeof one === "number") ? point.join(", ") : null);
}
