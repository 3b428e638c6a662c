import { expect, test } from "vitest";
import { storeChatFiles } from "../../../activities/imports/chat-media.ts";
import { openMediaWork } from "../../../activities/media/open-media-work.ts";
import type { MediaWork } from "../../../activities/media/port.ts";
import { RetryLaterError } from "../../../activities/retry-later.ts";
import { createLog } from "../../../core/log.ts";
import type { ScanVerdict } from "../../../core/media/scanner.ts";
import { createMediaFolder, listFiles, samples, tinyPng } from "../../support/media.ts";
import { withFile } from "../../support/import-files.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { zip } from "../../support/zip.ts";
import { chatRow, startChatImports } from "../../core/services/imports/chat-import-fixture.ts";

const log = createLog("test", "silent");
const fixture = useFixture(startChatImports);
const storage = useFixture(createMediaFolder);

const chat = [
  chatRow("2026-03-06T13:45:00", "The photo", { kind: "image", file: "IMG-1.jpg" }),
  chatRow("2026-03-06T13:46:00", "", { kind: "document", file: "menu.pdf", direction: "out" }),
  chatRow("2026-03-06T13:47:00", "", { kind: "audio", file: "lost.opus" }),
];
const archive = zip([
  { name: "_chat.txt", content: "-" },
  { name: "IMG-1.jpg", content: tinyPng },
  { name: "menu.pdf", content: samples.pdf },
  { name: "voice.opus", content: samples.ogg },
]);

function openWork(): MediaWork {
  return openMediaWork({
    media: { folder: storage.folder, s3: null, scanner: null, retentionDays: null },
    graphUrl: "http://127.0.0.1:9",
    policy: { allowPrivate: false, ownHosts: [] },
  });
}

async function store(media: MediaWork, importId: number): Promise<void> {
  const { dataSource } = fixture.database;
  const job = { id: importId, accountId: fixture.account.accountId };
  await withFile(archive, async (path) => {
    await storeChatFiles({ dataSource, log, media }, path, job, new AbortController().signal);
  });
}

const rows = async () =>
  await fixture.database.dataSource.query(
    "SELECT filename, state, reason, mime FROM message_media WHERE account_id = ? ORDER BY id",
    [fixture.account.accountId],
  );

test("files of a chat are stored, a missing one is noted, and a second run changes nothing", async () => {
  await fixture.renew();
  const job = await fixture.importChat(chat);
  const expected = [
    { filename: "IMG-1.jpg", state: "ready", reason: null, mime: "image/png" },
    { filename: "menu.pdf", state: "ready", reason: null, mime: "application/pdf" },
    { filename: "lost.opus", state: "failed", reason: "not_exported", mime: null },
  ];
  await store(openWork(), job.id);
  expect(await rows()).toEqual(expected);
  expect((await fixture.rowsOf(job)).map(({ reason }) => reason)).toEqual([
    null,
    null,
    "media_missing",
  ]);
  const stored = await listFiles(storage.folder);
  expect(stored.filter((name) => name.endsWith("-original"))).toHaveLength(2);
  await store(openWork(), job.id);
  expect(await rows()).toEqual(expected);
});

/** The scanner gives these verdicts, one for each file, and the last one from then on. */
function scannedWith(...verdicts: [ScanVerdict, ...ScanVerdict[]]): MediaWork {
  const next = () => (verdicts.length > 1 ? verdicts.shift() : undefined) ?? verdicts[0];
  return { ...openWork(), scan: async () => await Promise.resolve(next()) };
}

test("a file waits while its scanner is away, and a refused one is not stored", async () => {
  await fixture.renew();
  const job = await fixture.importChat(chat.slice(0, 2));
  await expect(store(scannedWith("away"), job.id)).rejects.toThrow("The scanner of files is away.");
  const waiting = { state: "failed", reason: "not_stored" };
  expect(await rows()).toMatchObject([waiting, waiting]);
  await store(scannedWith("infected", "too_large"), job.id);
  expect(await rows()).toMatchObject([
    { state: "refused", reason: "infected" },
    { state: "refused", reason: "too_large" },
  ]);
});

test("a file without a verdict of the scanner holds no other file back", async () => {
  await fixture.renew();
  const voice = chatRow("2026-03-06T13:47:00", "", { kind: "audio", file: "voice.opus" });
  const job = await fixture.importChat([...chat.slice(0, 2), voice]);
  const scanning = store(scannedWith("clean", "away", "clean"), job.id);
  await expect(scanning).rejects.toThrow(RetryLaterError);
  const ready = { state: "ready", reason: null };
  expect(await rows()).toMatchObject([ready, { state: "failed", reason: "not_stored" }, ready]);
  await store(scannedWith("clean"), job.id);
  expect(await rows()).toMatchObject([ready, ready, ready]);
});

test("a scanner without verdicts is asked for some files, not for each", async () => {
  await fixture.renew();
  const job = await fixture.importChat(Array.from({ length: 8 }, () => chat[0] ?? chatRow("", "")));
  let asked = 0;
  const scan = async (): Promise<ScanVerdict> => {
    asked += 1;
    return await Promise.resolve("away");
  };
  await expect(store({ ...openWork(), scan }, job.id)).rejects.toThrow(RetryLaterError);
  expect(asked).toBe(5);
});
