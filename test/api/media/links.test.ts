import { expect, test } from "vitest";
import { openMediaToken } from "../../../core/media/media-token.ts";
import { receive } from "../../support/conversations.ts";
import { createMediaFolder, insertMedia, insertStoredMedia, tinyPng } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";

const fixture = useFixture(async () => {
  const { folder, stop } = await createMediaFolder();
  const api = await startApiFixture({ MEDIA_DIR: folder });
  return {
    ...api,
    async stop() {
      await api.stop();
      await stop();
    },
  };
});

/** A message with a stored picture, a stored PDF and a picture that is on its way. */
async function receiveFiles() {
  const { dataSource } = fixture.database;
  const { accountId } = fixture.account;
  const { row } = await receive(dataSource, accountId, { from: "5215512345678" });
  const { storage } = fixture.api.deps.media;
  const place = { dataSource, storage };
  const picture = await insertStoredMedia(place, accountId, { bytes: tinyPng, mime: "image/png" });
  const paper = { bytes: Buffer.from("%PDF-1.7"), mime: "application/pdf", filename: "a.pdf" };
  const pdf = await insertStoredMedia(place, accountId, paper);
  const pending = await insertMedia(dataSource, { account_id: accountId });
  for (const [position, id] of [picture, pdf, pending].entries()) {
    await fixture.query("UPDATE message_media SET message_id = ?, position = ? WHERE id = ?", [
      row.id,
      position,
      id,
    ]);
  }
  await fixture.query("UPDATE messages SET attachment_count = 3 WHERE id = ?", [row.id]);
  return { row, picture, pdf };
}

test("a message has links that open its files, an hour in REST and 10 minutes in the Dashboard", async () => {
  const { row, picture } = await receiveFiles();
  const path = `/conversations/${row.conversationId}/messages`;
  const { apiKey, cookie } = fixture.account;
  const rest = await fixture.api.call("GET", `/api/v1${path}`, { apiKey });
  const panel = await fixture.api.call("GET", `/dashboard/api${path}`, { cookie });
  for (const [answer, minutes] of [
    [rest, 60],
    [panel, 10],
  ] as const) {
    const [message] = answer.json.data;
    expect(message.attachments).toHaveLength(3);
    const [image, pdf, pending] = message.attachments;
    expect(image).toMatchObject({ id: picture, state: "ready", mime_type: "image/png" });
    expect(pdf).toMatchObject({ filename: "a.pdf", thumbnail_url: null });
    expect(pending).toMatchObject({ state: "pending", url: null, thumbnail_url: null });
    expect(message.media).toEqual({ url: image.url, mime_type: "image/png" });
    expect(message.has_media).toBe(true);
    for (const url of [image.url, image.thumbnail_url, pdf.url]) {
      const { origin, pathname } = new URL(url);
      expect(origin).toBe(fixture.api.deps.config.publicUrl);
      expect((await fixture.api.call("GET", pathname)).status).toBe(200);
      const token = pathname.slice("/media/".length);
      const isOpenIn = (ms: number) =>
        openMediaToken(fixture.api.deps.secretBox, token, new Date(Date.now() + ms)) !== null;
      expect(isOpenIn(minutes * 60_000 - 5_000)).toBe(true);
      expect(isOpenIn(minutes * 60_000 + 61_000)).toBe(false);
    }
  }
});
