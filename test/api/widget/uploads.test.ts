import { expect, test } from "vitest";
import type { ActivityDeps } from "../../../activities/deps.ts";
import { openMediaWork } from "../../../activities/media/open-media-work.ts";
import { createPurgeMedia } from "../../../activities/purge-media.ts";
import { createWidgetLimits } from "../../../api/widget/limits.ts";
import { createLog } from "../../../core/log.ts";
import { runActivity } from "../../support/activity.ts";
import { createMediaFolder, listFiles, samples, tinyPng } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTestWidget, openVisit, type TestVisitor } from "./widget-fixture.ts";

const fixture = useFixture(async () => {
  const { folder, stop } = await createMediaFolder();
  const settings = { MEDIA_DIR: folder, WIDGET_URL: "https://chat.example.com" };
  const api = await startApiFixture(Object.assign({ TRUST_PROXY: "true" }, settings));
  const both = async () => {
    await api.stop();
    await stop();
  };
  return { ...api, folder, stop: both };
});

const upload = async (visitor: TestVisitor, bytes: Buffer, name = "a.png") =>
  await visitor.call("POST", `/uploads?name=${encodeURIComponent(name)}`, bytes, {
    "content-type": "application/octet-stream",
  });

test("a message takes an uploaded file, once, and shows it by a signed link", async () => {
  const visitor = await openVisit(fixture, await createTestWidget(fixture));
  const { status, json } = await upload(visitor, tinyPng, "Mañana.png");
  expect([status, json.data]).toEqual([
    201,
    {
      upload_id: expect.any(Number) as number,
      kind: "image",
      mime_type: "image/png",
      size: tinyPng.length,
      filename: "Mañana.png",
    },
  ]);
  const { upload_id } = json.data;
  const body = { client_id: "f", content: "Look", upload_id };
  const sent = await visitor.call("POST", "/messages", body);
  expect([sent.status, sent.json.data]).toMatchObject([
    201,
    { type: "image", content: "Look", attachments: [{ kind: "image", state: "ready" }] },
  ]);
  const { url } = sent.json.data.attachments[0];
  expect(new URL(url).origin).toBe("https://chat.example.com");
  const file = await fixture.api.call("GET", new URL(url).pathname);
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "image/png"]);
  const again = await visitor.call("POST", "/messages", body);
  expect([again.status, again.json.data.id]).toEqual([200, sent.json.data.id]);
  const other = await visitor.call("POST", "/messages", { client_id: "g", upload_id });
  expect([other.status, other.json.error.code]).toEqual([404, "media_not_found"]);
});

test("the file of another session, account or time is not found", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  const { upload_id } = (await upload(visitor, tinyPng)).json.data;
  const others = [
    await openVisit(fixture, widget),
    await openVisit(fixture, await createTestWidget(fixture)),
  ];
  for (const other of others) {
    const answer = await other.call("POST", "/messages", { client_id: "f", upload_id });
    expect([answer.status, answer.json.error.code]).toEqual([404, "media_not_found"]);
  }
  await fixture.query(
    "UPDATE widget_uploads SET created_at = created_at - INTERVAL 61 MINUTE WHERE id = ?",
    [upload_id],
  );
  const late = await visitor.call("POST", "/messages", { client_id: "f", upload_id });
  expect(late.status).toBe(404);
  expect(await widget.events()).toEqual([]);
});

test("an hour later a file without a message is deleted, with its bytes", async () => {
  const visitor = await openVisit(fixture, await createTestWidget(fixture));
  const { upload_id: old } = (await upload(visitor, samples.pdf)).json.data;
  const { upload_id: young } = (await upload(visitor, samples.pdf)).json.data;
  await fixture.query(
    "UPDATE widget_uploads SET created_at = created_at - INTERVAL 61 MINUTE WHERE id = ?",
    [old],
  );
  await runActivity(() => createPurgeMedia(workOf(fixture.folder)).purgeMedia());
  const rows = await fixture.query("SELECT id FROM widget_uploads WHERE id IN (?, ?)", [
    old,
    young,
  ]);
  expect(rows).toEqual([{ id: young }]);
  const files = (await listFiles(fixture.folder)).filter((key) => key.includes("visit-"));
  expect(files.some((key) => key.includes(`visit-${old}-`))).toBe(false);
  expect(files.some((key) => key.includes(`visit-${young}-`))).toBe(true);
});

function workOf(folder: string): ActivityDeps {
  const media = openMediaWork({
    media: { folder, s3: null, scanner: null, retentionDays: null },
    graphUrl: "http://127.0.0.1:9",
    policy: { allowPrivate: false, ownHosts: [] },
  });
  const log = createLog("worker", "silent");
  const { dataSource } = fixture.database;
  const stopping = new AbortController().signal;
  return { dataSource, media, log, stopping } as unknown as ActivityDeps;
}

test("a file that is too large, empty or unwanted is refused, and the sixth in ten minutes waits", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget);
  fixture.api.deps.widgetLimits = createWidgetLimits(() => 0);
  const large = await upload(visitor, Buffer.alloc(10 * 1_024 * 1_024 + 1));
  expect([large.status, large.json.error.code]).toEqual([413, "payload_too_large"]);
  expect((await upload(visitor, Buffer.alloc(0))).json.error.code).toBe("media_empty");
  const statuses = [];
  for (let count = 0; count < 4; count += 1) {
    statuses.push((await upload(visitor, tinyPng)).status);
  }
  expect(statuses).toEqual([201, 201, 201, 429]);
  const closed = await createTestWidget(fixture, { settings: { takes_files: false } });
  const refused = await upload(await openVisit(fixture, closed), tinyPng);
  expect([refused.status, refused.json.error.code]).toEqual([422, "media_type_refused"]);
});
