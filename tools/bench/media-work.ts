import { createReadStream } from "node:fs";
import { parseArgs } from "node:util";
import { createGraph } from "../../activities/channels/graph.ts";
import { uploadToMeta } from "../../activities/channels/upload-file.ts";
import { openMediaWork } from "../../activities/media/open-media-work.ts";
import { scanFile, storeFile } from "../../activities/media/store-file.ts";
import { maxMediaBytes } from "../../core/model/media.ts";
import type { UploadMaterial } from "../../core/services/conversations/message-uploads.ts";

// A process of its own, so that only the work with the file counts. Prints its figures as JSON.

/** Figures of one file. */
export interface MediaFigures {
  /** Largest resident memory during the work beyond that before it, in bytes. */
  growth: number;
  ms: number;
  /** Bytes that arrived. */
  size: number;
}

const sampleMs = 10;
const warmUps = 3;

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "" },
    folder: { type: "string", default: "" },
    direction: { type: "string", default: "" },
  },
});
const { url, folder, direction } = values;

const media = openMediaWork({
  media: { folder, s3: null, scanner: null, retentionDays: null },
  graphUrl: url,
  policy: { allowPrivate: false, ownHosts: [] },
});
const graph = createGraph({ graphUrl: url, instagramUrl: url, version: "v26.0" });

/** The steps of an incoming file: to the spool, looked at, and into the storage. */
async function download(path: string, mediaId: number): Promise<number> {
  const { file, fault } = await media.download({
    url: `${url}${path}`,
    name: `media-1-${mediaId}`,
    token: "token",
    from: "network",
    maxBytes: maxMediaBytes,
  });
  if (file === null) throw new Error(`The download ended with ${fault}.`);
  try {
    await scanFile(media, file.path);
    return (await storeFile(media, { accountId: 1, mediaId }, file)).size;
  } finally {
    await file.remove();
  }
}

/** Gives a stored file to WhatsApp, as a document. */
async function upload(path: string, size: number): Promise<number> {
  const material = {
    file: { kind: "document", mime: "application/pdf", size, filename: "a.pdf" },
    driver: "whatsapp_cloud",
    from: "106",
    parentId: "900",
  } as UploadMaterial;
  const access = { token: "token", appSecret: "secret" };
  const result = await uploadToMeta(graph, material, access, createReadStream(path));
  if (result.kind !== "uploaded") throw new Error(`The upload ended with ${result.kind}.`);
  return Number(result.id);
}

async function measure(work: () => Promise<number>): Promise<MediaFigures> {
  const before = process.memoryUsage.rss();
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, sampleMs);
  const startedAt = performance.now();
  try {
    const size = await work();
    return { growth: highest - before, ms: performance.now() - startedAt, size };
  } finally {
    clearInterval(timer);
  }
}

async function main(): Promise<MediaFigures> {
  if (direction === "download") {
    for (let id = 1; id <= warmUps; id += 1) await download("/small", id);
    return await measure(() => download("/large", warmUps + 1));
  }
  const small = `${folder}/small`;
  for (let n = 0; n < warmUps; n += 1) await upload(small, 4_096);
  return await measure(() => upload(`${folder}/large`, maxMediaBytes));
}

console.log(JSON.stringify(await main()));
await graph.close();
