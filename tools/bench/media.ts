import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { maxMediaBytes } from "../../core/model/media.ts";
import { localPath, repositoryRoot } from "../../dev/local.ts";
import type { MediaFigures } from "./media-work.ts";
import { median } from "./load.ts";
import { inMs } from "./print.ts";

const mebibyte = 1_024 * 1_024;
const chunk = Buffer.concat([Buffer.from("%PDF-1.7\n"), randomBytes(mebibyte - 9)]);
const smallBytes = 4_096;
/** The garbage of one process is collected earlier than that of another. */
const processes = 7;
const run = promisify(execFile);

/** Memory that a worker needs for a file of the largest size, each in a process of its own. */
export async function benchMedia(): Promise<string[][]> {
  const folder = mkdtempSync(localPath("bench-media-"));
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    writeFileSync(join(folder, "small"), chunk.subarray(0, smallBytes));
    writeFileSync(join(folder, "large"), Buffer.concat(chunksOf(maxMediaBytes)));
    const rows: string[][] = [];
    for (const direction of ["download", "upload"] as const) {
      const all: MediaFigures[] = [];
      for (let n = 0; n < processes; n += 1) all.push(await measure(url, folder, direction));
      const growths = all.map(({ growth }) => growth / 1e6);
      rows.push(
        [
          `${direction} of ${maxMediaBytes / mebibyte} MiB: more memory, median (goal: 64 MB)`,
          `${median(growths).toFixed(0)} MB`,
        ],
        [`most of ${processes} processes`, `${Math.max(...growths).toFixed(0)} MB`],
        ["time, median", inMs(median(all.map(({ ms }) => ms)))],
      );
    }
    return rows;
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function chunksOf(size: number): Buffer[] {
  return Array.from({ length: size / mebibyte }, () => chunk);
}

async function measure(url: string, folder: string, direction: string): Promise<MediaFigures> {
  const program = fileURLToPath(import.meta.resolve("./media-work.ts"));
  const own = ["--url", url, "--folder", folder, "--direction", direction];
  const args = ["--import", "tsx/esm", program, ...own];
  const { stdout } = await run(process.execPath, args, { cwd: repositoryRoot });
  const figures = JSON.parse(stdout) as MediaFigures;
  if (figures.size < maxMediaBytes) throw new Error(`The ${direction} had ${figures.size} bytes.`);
  return figures;
}

/** Sends files, and counts those that it is sent: the id of an upload is its number of bytes. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "GET") {
    const size = request.url === "/large" ? maxMediaBytes : smallBytes;
    const chunks = size === smallBytes ? [chunk.subarray(0, size)] : chunksOf(size);
    response.writeHead(200, { "content-type": "application/pdf", "content-length": size });
    Readable.from(chunks).pipe(response);
    return;
  }
  let size = 0;
  for await (const part of request) size += (part as Buffer).length;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ id: String(size) }));
}
