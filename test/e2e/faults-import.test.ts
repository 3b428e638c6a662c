import { expect, test } from "vitest";
import { callApi } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { createMediaFolder, listFiles } from "../support/media.ts";
import { createProcessFixture } from "../support/process-fixture.ts";

const rows = 6_000;
// The step of a killed worker is handed out again after the 30 s of its heartbeat.
const doneMs = 120_000;

test("a worker killed during a commit: each row is applied once, the counts are exact, and no event leaves", async ({
  onTestFinished,
}) => {
  const fixture = await createProcessFixture();
  const files = await createMediaFolder();
  onTestFinished(async () => {
    await fixture.stop();
    await files.stop();
  });
  const settings = { MEDIA_DIR: files.folder };
  const { url } = await fixture.startApi(settings);
  const worker = await fixture.startWorker(settings);
  const { cookie } = fixture.account;
  const call = async (method: string, path: string, body?: unknown) =>
    (await callApi(url, method, `/dashboard/api/imports${path}`, { cookie, body })).json.data;
  const lines = Array.from({ length: rows }, (_, at) => `Name ${at},${5_215_500_000_000 + at}`);
  const { id } = await call(
    "POST",
    "?kind=contacts&name=many.csv",
    `name,phone\n${lines.join("\n")}`,
  );
  const untilState = async (state: string) =>
    await eventually(async () => expect((await call("GET", `/${id}`)).state).toBe(state), doneMs);
  await call("POST", `/${id}/plan`);
  await untilState("planned");
  await call("POST", `/${id}/commit`);
  const { dataSource } = fixture.database;
  await eventually(async () => {
    const [row] = await dataSource.query<{ n: string }[]>("SELECT cursor_row AS n FROM imports");
    expect(Number(row?.n)).toBeGreaterThan(500);
  });
  await worker.kill("SIGKILL");
  const half = await call("GET", `/${id}`);
  expect(half.state).toBe("committing");
  expect(half.counts.done.created).toBeLessThan(rows);

  await fixture.startWorker(settings);
  await untilState("done");
  const { counts, differing } = await call("GET", `/${id}`);
  expect(counts).toMatchObject({ rows, planned: { create: rows }, done: { created: rows } });
  expect(differing).toBe(0);
  const [contacts] = await dataSource.query<{ n: string; phones: string }[]>(
    "SELECT COUNT(*) AS n, COUNT(DISTINCT phone) AS phones FROM contacts",
  );
  expect([Number(contacts?.n), Number(contacts?.phones)]).toEqual([rows, rows]);
  const [events] = await dataSource.query<{ n: string }[]>("SELECT COUNT(*) AS n FROM events");
  expect([Number(events?.n), fixture.sink.posts]).toEqual([0, []]);
  await eventually(async () => expect(await listFiles(files.folder)).toEqual([]));
}, 400_000);
