import { z } from "zod";
import type { MetaAccount } from "./meta-accounts.ts";
import { keepUpload, kindOf, type MetaFile } from "./meta-media.ts";
import { refusalOf, type GraphAnswer } from "./meta-sending.ts";
import type { MetaWorld } from "./meta-world.ts";

/** A form with one file. */
export interface MetaForm {
  fields: Record<string, string>;
  /** Name of the field of the file. */
  name: string;
  file: Omit<MetaFile, "id">;
}

/** A file that the product has uploaded. */
export interface MetaUpload {
  id: string;
  accountId: string;
  mime: string;
  filename: string | null;
  bytes: Buffer;
}

/** Meta's code where a service is away. */
export const noService = 131_016;

const mebibyte = 1_024 * 1_024;
const whatsAppTypes: Readonly<Record<string, { types: RegExp; max: number }>> = {
  image: { types: /^image\/(?:jpeg|png)$/u, max: 5 },
  audio: { types: /^audio\/(?:aac|amr|mpeg|mp4|ogg)$/u, max: 16 },
  video: { types: /^video\/(?:mp4|3gpp)$/u, max: 16 },
  document: { types: /./u, max: 100 },
};
const whatsAppFields = z.strictObject({
  messaging_product: z.literal("whatsapp"),
  type: z.string().min(1),
});
const attachmentFields = z.strictObject({
  attachment: z.strictObject({
    type: z.enum(["image", "video", "audio", "file"]),
    payload: z.strictObject({ is_reusable: z.literal(true).optional() }),
  }),
});

const quoted = (name: string) => new RegExp(`[; ]${name}="([^"]*)"`, "u");

/** Reads a form with one file; null for anything else. */
export function readForm(bytes: Buffer, type: string): MetaForm | null {
  const [, boundary] = /^multipart\/form-data; boundary=([\w-]+)$/u.exec(type) ?? [];
  if (boundary === undefined) return null;
  const fields: Record<string, string> = {};
  let found: Pick<MetaForm, "name" | "file"> | null = null;
  let at = bytes.indexOf(`--${boundary}\r\n`);
  while (at !== -1) {
    const headAt = at + boundary.length + 4;
    const bodyAt = bytes.indexOf("\r\n\r\n", headAt) + 4;
    const end = bytes.indexOf(`\r\n--${boundary}`, bodyAt);
    if (bodyAt < 4 || end === -1) return null;
    const head = bytes.toString("utf8", headAt, bodyAt);
    const name = quoted("name").exec(head)?.[1] ?? "";
    const filename = quoted("filename").exec(head)?.[1];
    if (filename === undefined) fields[name] = bytes.toString("utf8", bodyAt, end);
    else {
      const mime = /^content-type: (\S+)/imu.exec(head)?.[1] ?? "";
      found = { name, file: { mime, filename, bytes: bytes.subarray(bodyAt, end) } };
    }
    at = bytes.indexOf(`--${boundary}\r\n`, end);
  }
  return found === null ? null : { fields, ...found };
}

/** Answers an upload as strictly as Meta does. Instagram Login takes none. */
export function answerUpload(
  world: MetaWorld,
  account: MetaAccount,
  { id, edge, form }: { id: string; edge: string; form: MetaForm | null },
): GraphAnswer {
  if (world.refusedUploads.left > 0) {
    world.refusedUploads.left -= 1;
    const { code } = world.refusedUploads;
    return refusalOf({ http: code === noService ? 503 : 429, code, message: "Not now" });
  }
  const isWhatsApp = account.driver === "whatsapp_cloud";
  const owner = isWhatsApp ? account.id : account.parentId;
  const isHere = id === owner && edge === (isWhatsApp ? "media" : "message_attachments");
  if (!isHere || account.driver === "instagram_login") {
    return refuse(`Unsupported post request. Object with ID '${id}' does not exist`);
  }
  if (form === null) return refuse("A form with a file is required");
  const problem = isWhatsApp ? judgeWhatsApp(form) : judgeAttachment(account, form);
  if (problem !== null) return refuse(problem);
  const fileId = keepUpload(world, form.file);
  const { mime, filename, bytes } = form.file;
  world.uploads.push({ id: fileId, accountId: account.id, mime, filename, bytes });
  return { http: 200, body: isWhatsApp ? { id: fileId } : { attachment_id: fileId } };
}

function judgeWhatsApp({ fields, name, file }: MetaForm): string | null {
  const read = whatsAppFields.safeParse(fields);
  if (!read.success) return `Invalid parameter: ${read.error.issues[0]?.message}`;
  if (name !== "file") return "Param file is required";
  if (read.data.type !== file.mime) return "Param type must be the type of the file";
  const kinds = [whatsAppTypes[kindOf(file.mime)], whatsAppTypes["document"]];
  const fits = kinds.some(
    (kind) => kind?.types.test(file.mime) && file.bytes.length <= kind.max * mebibyte,
  );
  return fits ? null : "Param file must be a file with one of the supported types and sizes";
}

function judgeAttachment(
  { driver }: MetaAccount,
  { fields: { message = "", ...fields }, name, file }: MetaForm,
): string | null {
  const wanted = driver === "instagram_page" ? '{"platform":"instagram"}' : "{}";
  if (JSON.stringify(fields) !== wanted) return "Unexpected or missing parameter platform";
  if (name !== "filedata") return "Param filedata is required";
  const read = attachmentFields.safeParse(parse(message));
  if (!read.success) return `Invalid parameter message: ${read.error.issues[0]?.message}`;
  const { type } = read.data.attachment;
  if (type !== "file" && kindOf(file.mime) !== type) return "The file is of another type";
  const max = type === "image" ? 8 : 25;
  return file.bytes.length <= max * mebibyte ? null : "The file is too large";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuse(message: string): GraphAnswer {
  return refusalOf({ http: 400, code: 100, message: `(#100) ${message}` });
}
