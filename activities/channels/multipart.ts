import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";

/** A form with one file. */
export interface MultipartForm {
  fields: Readonly<Record<string, string>>;
  file: {
    /** Name of the field. */
    name: string;
    filename: string;
    mime: string;
    /** Bytes of the stream. */
    size: number;
    content: Readable;
  };
}

/** A form as HTTP sends it. The file is not held in memory. */
export function encodeForm({ fields, file }: MultipartForm): {
  headers: Record<string, string>;
  body: Readable;
} {
  const boundary = `parley-${randomBytes(16).toString("hex")}`;
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`,
  );
  const head = Buffer.from(
    `${parts.join("")}--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(file.name)}"; filename="${escapeName(file.filename)}"\r\nContent-Type: ${file.mime}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": String(head.length + file.size + tail.length),
    },
    body: Readable.from(joined(head, file.content, tail), { objectMode: false }),
  };
}

async function* joined(head: Buffer, content: Readable, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* content as AsyncIterable<Buffer>;
  yield tail;
}

/** As browsers escape names. Source: HTML, 4.10.21.8. */
function escapeName(name: string): string {
  return name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
