import { createHash, randomInt } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { MetaWorld } from "./meta-world.ts";

/** A file at Meta. */
export interface MetaFile {
  id: string;
  mime: string;
  bytes: Buffer;
  filename: string | null;
}

/** Courses of the next downloads of files. */
export const metaMediaScripts = {
  normal: "the file",
  expired: "the id or the address is gone",
  wrong_sha: "another file than the one that was announced",
  oversize: "a file of more than 100 MB, without its length",
  slow: "a byte each second",
  cut: "the connection ends in the middle",
  private_redirect: "a redirect to 10.0.0.1",
  foreign_redirect: "a redirect to another company",
} as const;
export type MetaMediaScript = keyof typeof metaMediaScripts;

/** @returns whether this is the name of a course */
export function isMediaScript(name: string): name is MetaMediaScript {
  return Object.hasOwn(metaMediaScripts, name);
}

const ascii = (text: string): Buffer => Buffer.from(text, "latin1");

/** The smallest files that a browser, or a check of types, takes for what they are. */
const samples: Readonly<Record<string, Omit<MetaFile, "id">>> = {
  image: {
    mime: "image/png",
    filename: null,
    bytes: Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
      "base64",
    ),
  },
  video: {
    mime: "video/mp4",
    filename: null,
    bytes: Buffer.concat([ascii("\0\0\0\x18ftypisom\0\0\x02\0isommp42"), Buffer.alloc(256)]),
  },
  audio: {
    mime: "audio/ogg; codecs=opus",
    filename: null,
    bytes: Buffer.concat([
      ascii("OggS\0\x02"),
      Buffer.alloc(20),
      ascii("\x01\x13OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0"),
      Buffer.alloc(64),
    ]),
  },
  document: {
    mime: "application/pdf",
    filename: "análisis.pdf",
    bytes: ascii("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"),
  },
  sticker: {
    mime: "image/webp",
    filename: null,
    bytes: Buffer.from("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=", "base64"),
  },
};

const firstId = 1_908_647_269_898_500;

/** The files that customers send. `picture` is a PNG, in place of a pixel. */
export function createMetaFiles(picture?: Buffer): Map<string, MetaFile> {
  const files = Object.entries(samples).map(([kind, file], at) => ({
    ...file,
    ...(kind === "image" && picture !== undefined && { bytes: picture }),
    id: String(firstId + at),
  }));
  return new Map(files.map((file) => [file.id, file]));
}

/** Id of the file that a customer sends with a deed of this kind, unless the deed names one. */
export function fileIdOf(kind: string): string {
  return String(firstId + Math.max(0, Object.keys(samples).indexOf(kind)));
}

/** Keeps a file that was uploaded. @returns its id */
export function keepUpload(world: MetaWorld, file: Omit<MetaFile, "id">): string {
  const id = String(randomInt(2 ** 40, 2 ** 47));
  world.files.set(id, { ...file, id });
  return id;
}

/** The kind of message that carries a file of this type. */
export function kindOf(mime: string): "image" | "video" | "audio" | "document" {
  const [family] = mime.split("/");
  return family === "image" || family === "video" || family === "audio" ? family : "document";
}

const pictureTypes = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** A picture that the page may show. Other types could be pages, so they are none. */
export function findPicture(world: MetaWorld, id: string): MetaFile | null {
  const file = world.files.get(id);
  return file !== undefined && pictureTypes.has(file.mime) ? file : null;
}

/** Id of the picture that the body of a send names, or null. */
export function pictureIn(world: MetaWorld, body: unknown): string | null {
  const ids = JSON.stringify(body).matchAll(/"(?:attachment_)?id":"(\d+)"/gu);
  for (const [, id = ""] of ids) if (findPicture(world, id) !== null) return id;
  return null;
}

/** Hash as webhooks write it. */
export function hashOf(file: MetaFile, encoding: "base64" | "hex"): string {
  return createHash("sha256").update(file.bytes).digest(encoding);
}

/** Address of a file at Messenger and Instagram. Nobody needs a token for it. */
export function cdnUrl(world: MetaWorld, id: string): string {
  return `${world.origin}/cdn/${id}`;
}

/** The answer to `GET /{media id}`, or null for an unknown id. */
export function describeFile(world: MetaWorld, id: string): Record<string, unknown> | null {
  const file = world.files.get(id);
  if (file === undefined || world.mediaScript.name === "expired") return null;
  return {
    messaging_product: "whatsapp",
    url: `${world.origin}/lookaside/${id}?ext=${Date.now()}`,
    mime_type: file.mime,
    sha256: hashOf(file, "hex"),
    file_size: file.bytes.length,
    id,
  };
}

const oversizeBytes = 101 * 1_024 * 1_024;
const chunk = Buffer.alloc(1_024 * 1_024, 1);

/** Serves `/lookaside/{id}` with a token, and `/cdn/{id}` without one. @returns false for other paths */
export function serveFile(
  world: MetaWorld,
  path: string,
  headers: IncomingHttpHeaders,
  response: ServerResponse,
): boolean {
  const [, place = "", id = ""] = /^\/(lookaside|cdn)\/(\d+)$/u.exec(path) ?? [];
  if (place === "") return false;
  const file = world.files.get(id);
  const token = /^Bearer (\S+)$/u.exec(headers.authorization ?? "")?.[1];
  const knows = place === "cdn" || world.accounts.some((one) => one.token === token);
  const { name } = world.mediaScript;
  world.mediaScript.left -= 1;
  if (world.mediaScript.left <= 0) world.mediaScript = { name: "normal", left: Infinity };
  world.downloads.push({ place, id, token: token ?? null, script: name });
  if (file === undefined || !knows || name === "expired") {
    response.writeHead(knows ? 404 : 401).end();
    return true;
  }
  send(response, file, name);
  return true;
}

function send(response: ServerResponse, { mime, bytes }: MetaFile, script: MetaMediaScript): void {
  const head = { "content-type": mime };
  switch (script) {
    case "private_redirect":
      return void response.writeHead(302, { location: "https://10.0.0.1/file" }).end();
    case "foreign_redirect":
      return void response.writeHead(302, { location: "https://files.example.com/x" }).end();
    case "wrong_sha":
      return void response.writeHead(200, head).end(Buffer.concat([bytes, Buffer.from("x")]));
    case "slow":
      return trickle(response, head);
    case "oversize":
      return void sendMuch(response, head);
    case "cut":
      response.writeHead(200, { ...head, "content-length": bytes.length + 10 });
      response.write(bytes);
      setTimeout(() => response.destroy(), 50);
      return;
    case "normal":
    case "expired":
      response.writeHead(200, { ...head, "content-length": bytes.length }).end(bytes);
  }
}

function trickle(response: ServerResponse, head: Record<string, string>): void {
  response.writeHead(200, head);
  const timer = setInterval(() => response.write("x"), 1_000);
  response.on("close", () => clearInterval(timer));
}

async function sendMuch(response: ServerResponse, head: Record<string, string>): Promise<void> {
  response.writeHead(200, head);
  for (let sent = 0; sent < oversizeBytes && !response.destroyed; sent += chunk.length) {
    if (response.write(chunk)) continue;
    await new Promise<void>((resolve) => {
      response.once("drain", resolve);
      response.once("close", resolve);
    });
  }
  response.end();
}

const idPlaces = ["image", "audio", "video", "document", "sticker"];

/** The id of a file that the body of a send names and that nobody has uploaded; null if it is fine. */
export function findUnknownFile(world: MetaWorld, body: unknown): string | null {
  const whole = Object(body) as Record<string, unknown>;
  const { message } = whole;
  const { attachment } = Object(message) as { attachment?: { payload?: unknown } };
  const { attachment_id: attachmentId } = Object(attachment?.payload) as { attachment_id?: string };
  const ids = idPlaces.map((place) => (Object(whole[place]) as { id?: string }).id);
  const named = [attachmentId, ...ids, ...headingIds(whole["template"])].filter(
    (id) => id !== undefined,
  );
  return named.find((id) => !world.files.has(id)) ?? null;
}

/** Ids of files in the heading of a template. */
function headingIds(template: unknown): (string | undefined)[] {
  const { components = [] } = Object(template) as { components?: { parameters: object[] }[] };
  return components
    .flatMap(({ parameters }) => parameters)
    .flatMap((parameter) => Object.values(parameter))
    .map((value) => (Object(value) as { id?: string }).id);
}
