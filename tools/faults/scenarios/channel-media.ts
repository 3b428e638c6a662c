import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../../db/data-source.ts";
import { localPath } from "../../../dev/local.ts";
import { startMetaStandIn, type MetaStandIn } from "../../../dev/stand-in/meta-server.ts";
import { createByteTrap, type ByteTrap } from "../byte-trap.ts";
import { connectNumber, metaApp, metaNumber } from "../meta-posts.ts";
import type { Scenario } from "../run-scenario.ts";
import {
  check,
  checkNone,
  injectFault,
  untilTrue,
  type ScenarioContext,
} from "../scenario-context.ts";
import { startTcpProxy } from "../tcp-proxy.ts";
import { crashAt, type CrashPoint } from "./crash-points.ts";

const fileBytes = 16 * 1_024 * 1_024;
/** Shares of a file that the worker has when it dies. */
const shares = [0.02, 0.5, 0.97];
/** The steps after the last byte. */
const steps: readonly CrashPoint[] = (["before", "after"] as const).map((when) => ({
  name: `file, ${when} its state`,
  who: "worker",
  of: "UPDATE `message_media` SET",
  when,
}));
const springMs = 60_000;
const settledMs = 180_000;
/** The head of a video, by which its type is known. */
const head = Buffer.from("\0\0\0\x18ftypisom\0\0\x02\0isommp42", "latin1");

/** Meta behind a proxy, and the folder of the files. */
interface Meta {
  standIn: MetaStandIn;
  trap: ByteTrap;
  folder: string;
  /** SHA-256 of each file that was sent, in hex. */
  sent: string[];
}

let meta: Meta | null = null;

const downloads: Scenario = {
  id: "F32",
  title:
    "the worker dies in the middle of the download of a file, and just before and after its end",
  seconds: 0,
  share: 0.1,
  shape: { workers: 1, accounts: 1, subscriptions: [] },
  async prepare() {
    const trap = createByteTrap();
    const target = () => ({ host: "127.0.0.1", port: Number(new URL(standIn.url).port) });
    const proxy = await startTcpProxy({ target, inspect: trap.inspect });
    const url = `http://127.0.0.1:${proxy.port}`;
    const standIn = await startMetaStandIn({ app: metaApp, accounts: [metaNumber], origin: url });
    const folder = mkdtempSync(localPath("faults-media-"));
    meta = { standIn, trap, folder, sent: [] };
    return {
      settings: { META_GRAPH_URL: url, META_INSTAGRAM_URL: url, MEDIA_DIR: folder },
      async stop() {
        await proxy.stop();
        await standIn.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
  async run(stage) {
    if (meta === null) throw new Error("Meta was not prepared.");
    const path = await connectNumber(stage.installation);
    meta.standIn.connectTo({ url: `${stage.installation.apis[0]?.url}${path}`, verifyToken: "" });
    for (const share of shares) await killInDownload(stage, meta, share);
    for (const step of stage.chance.shuffle(steps)) {
      const died = crashAt(stage, step);
      await sendFile(meta);
      await died;
      await untilFilesStored(stage, meta);
    }
    await judge(stage, meta);
  },
};

/** A customer sends a file that no other file is like. */
async function sendFile({ standIn, sent }: Meta): Promise<void> {
  const bytes = Buffer.concat([head, randomBytes(fileBytes - head.length)]);
  const media = standIn.addFile({ mime: "video/mp4", bytes, filename: null });
  sent.push(sha256Of(bytes));
  await standIn.receive("whatsapp", { kind: "video", media });
}

/** Kills the worker once it has a share of a file. Its supervisor starts it again. */
async function killInDownload(stage: ScenarioContext, of: Meta, share: number): Promise<void> {
  const [worker] = stage.installation.workers;
  if (worker === undefined) throw new Error("There is no worker.");
  const name = `kill the worker with ${share * 100} % of a file`;
  await injectFault(stage, name, "span", async () => {
    const pid = worker.pid();
    let sprung = false;
    void of.trap
      .set(share * fileBytes, () => process.kill(pid, "SIGKILL"))
      .then(() => (sprung = true));
    await sendFile(of);
    check(stage, (await untilTrue(() => sprung, springMs)) !== null, `never reached: ${name}`);
    stage.kills += 1;
    await untilTrue(() => worker.isRunning() && worker.pid() !== pid, springMs);
    await worker.start();
  });
  const took = await untilFilesStored(stage, of);
  stage.print(`${name}: the file is there ${Math.round((took ?? settledMs) / 1_000)} s later`);
}

async function untilFilesStored(stage: ScenarioContext, { sent }: Meta): Promise<number | null> {
  const isStored = async () => {
    const rows = await readFiles(stage);
    return rows.length === sent.length && rows.every(({ state }) => state === "ready");
  };
  const took = await untilTrue(isStored, settledMs);
  check(stage, took !== null, `a file is missing after ${settledMs} ms`);
  return took;
}

interface FileRow {
  state: string;
  sha256: string;
  path: string;
}

async function readFiles({ installation }: ScenarioContext): Promise<FileRow[]> {
  const dataSource = await openDatabase({ url: installation.databaseUrl, poolSize: 1 });
  try {
    return await dataSource.query<FileRow[]>(
      `SELECT state, LOWER(HEX(sha256)) AS sha256, storage_key AS path
         FROM message_media ORDER BY id`,
    );
  } finally {
    await dataSource.destroy();
  }
}

async function judge(stage: ScenarioContext, { standIn, folder, sent }: Meta): Promise<void> {
  const rows = await readFiles(stage);
  const wrong = rows.filter(({ sha256 }, at) => sha256 !== sent[at]).map(({ path }) => path);
  checkNone(stage, wrong, "rows with another hash than the file that was sent");
  const stored = listFiles(folder);
  const torn = rows.filter(
    ({ path }, at) => sha256Of(readFileSync(join(folder, path))) !== sent[at],
  );
  checkNone(
    stage,
    torn.map(({ path }) => path),
    "files that are not what was sent",
  );
  const expected = rows.map(({ path }) => path).toSorted();
  const left = stored.filter((path) => !expected.includes(path));
  checkNone(stage, left, "files without a row");
  stage.print(
    `${rows.length} files stored, ${standIn.downloads().length} downloads, nothing left over`,
  );
}

/** Paths of all files below the storage, those that are being written too. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
}

function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export const mediaScenarios: readonly Scenario[] = [downloads];
