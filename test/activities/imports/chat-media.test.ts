import { expect, test } from "vitest";
import { storeChatFiles } from "../../../activities/imports/chat-media.ts";
import { openMediaWork } from "../../../activities/media/open-media-work.ts";
import type { MediaWork } from "../../../activities/media/port.ts";
import { createMediaFolder, listFiles, samples, tinyPng } from "../../support/media.ts";
import { withFile } from "../../support/import-files.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { zip } from "../../support/zip.ts";
import { chatRow, startChatImports } from "../../core/services/imports/chat-import-fixture.ts";

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
    await storeChatFiles({ dataSource, media }, path, job, new AbortController().signal);
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

test("a file waits while its scanner is away, and an infected one is refused", async () => {
  await fixture.renew();
  const job = await fixture.importChat(chat.slice(0, 1));
  const media = openWork();
  const away = { ...media, scan: async () => await Promise.resolve("away" as const) };
  await expect(store(away, job.id)).rejects.toThrow("The scanner of files is away.");
  expect(await rows()).toMatchObject([{ state: "failed", reason: "not_stored" }]);
  const infected = { ...media, scan: async () => await Promise.resolve("infected" as const) };
  await store(infected, job.id);
  expect(await rows()).toMatchObject([{ state: "refused", reason: "infected" }]);
});
