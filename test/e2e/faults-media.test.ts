import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { metaAccounts } from "../../dev/stand-in/meta-accounts.ts";
import { createByteTrap } from "../../tools/faults/byte-trap.ts";
import { startTcpProxy } from "../../tools/faults/tcp-proxy.ts";
import { eventually } from "../support/eventually.ts";
import { createMediaFolder, listFiles, samples, sha256Of } from "../support/media.ts";
import { startMetaChannels } from "../support/meta-channel.ts";
import { createProcessFixture, type ProcessFixture } from "../support/process-fixture.ts";

// The step of a killed worker is handed out again after the 20 s of its heartbeat.
const storedMs = 90_000;

/** An API and a number whose files come through a proxy. */
async function startFiles(fixture: ProcessFixture, stops: (() => Promise<void>)[]) {
  const { folder, stop } = await createMediaFolder();
  stops.push(stop);
  const trap = createByteTrap();
  const target = () => ({ host: "127.0.0.1", port: Number(new URL(standIn.url).port) });
  const proxy = await startTcpProxy({ target, inspect: trap.inspect });
  stops.push(async () => await proxy.stop());
  const origin = `http://127.0.0.1:${proxy.port}`;
  const { url } = await fixture.startApi();
  const { dataSource } = fixture.database;
  const { accountId } = fixture.account;
  const numbers = metaAccounts.slice(0, 1);
  const { standIn } = await startMetaChannels(dataSource, url, accountId, numbers, { origin });
  stops.push(async () => await standIn.close());
  const settings = { META_GRAPH_URL: origin, META_INSTAGRAM_URL: origin, MEDIA_DIR: folder };
  return { folder, trap, standIn, settings };
}

/** Blocks this process, and so the rest of the file, until the worker stores what has arrived. */
function awaitSpooled(folder: string): void {
  const end = performance.now() + 20_000;
  const lock = new Int32Array(new SharedArrayBuffer(4));
  const isSpooled = () =>
    readdirSync(folder, { recursive: true }).some((name) => String(name).startsWith(".spool/"));
  while (!isSpooled() && performance.now() < end) Atomics.wait(lock, 0, 0, 5);
}

test("a worker killed in the middle of a download leaves no half: the file is complete after a restart, once", async ({
  onTestFinished,
}) => {
  const fixture = await createProcessFixture();
  const stops = [fixture.stop];
  onTestFinished(async () => {
    for (const stop of stops) await stop();
  });
  const { folder, trap, standIn, settings } = await startFiles(fixture, stops);
  const readRows = async () =>
    await fixture.database.dataSource.query<
      { state: string; sha256: Buffer | null; storage_key: string | null }[]
    >("SELECT state, sha256, storage_key FROM message_media");
  const worker = await fixture.startWorker(settings);
  const bytes = Buffer.concat([samples.mp4, randomBytes(8 * 1_024 * 1_024)]);
  const media = standIn.addFile({ mime: "video/mp4", bytes, filename: null });

  const isHalf = trap.set(bytes.length / 2, () => {
    awaitSpooled(folder);
    process.kill(worker.pid, "SIGKILL");
  });
  await standIn.receive("whatsapp", { kind: "video", media });
  await isHalf;
  await worker.exited;
  expect(await readRows()).toEqual([{ state: "pending", sha256: null, storage_key: null }]);
  // Half of the file is on its way, and none of it is in the storage.
  expect(await listFiles(folder)).toEqual([expect.stringMatching(/^\.spool\//u)]);

  await fixture.startWorker(settings);
  const row = await eventually(async () => {
    const [found] = await readRows();
    expect(found?.state).toBe("ready");
    return found;
  }, storedMs);
  const key = row?.storage_key ?? "";
  expect(await listFiles(folder)).toEqual([key]);
  const stored = await readFile(join(folder, key));
  expect(sha256Of(stored).equals(sha256Of(bytes))).toBe(true);
  expect(row?.sha256?.equals(sha256Of(bytes))).toBe(true);
  expect(await readRows()).toHaveLength(1);
  expect(standIn.downloads()).toHaveLength(2);
}, 200_000);
