import { beforeEach, expect, test } from "vitest";
import { contactWork } from "../../../activities/imports/contact-work.ts";
import type { ImportWork } from "../../../activities/imports/import-work.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startImportWork } from "./import-work-fixture.ts";

/** Rows of each batch, in the order of the batches. */
let batches: number[] = [];
const { rules } = contactWork;
const counted: ImportWork = {
  read: (path, job) => contactWork.read(path, job),
  rules: {
    async planBatch(tx, job, records) {
      batches.push(records.length);
      return await rules.planBatch(tx, job, records);
    },
    async commitBatch(tx, job, rows) {
      batches.push(rows.length);
      await rules.commitBatch(tx, job, rows);
    },
    async undoBatch(tx, job, rows) {
      batches.push(rows.length);
      await rules.undoBatch(tx, job, rows);
    },
  },
};
const fixture = useFixture(() => startImportWork(counted));

beforeEach(async () => {
  batches = [];
  await fixture.query("DELETE FROM busy_processes");
  await fixture.query("DELETE FROM contacts");
  await fixture.query("DELETE FROM contact_tags");
});

const people = 1_200;

/** A table as Excel writes it in Spanish, with a ruined number and a person who comes twice. */
function table(): string {
  const rows = Array.from({ length: people }, (_, index) => {
    return `Persona ${index};${34_660_000_000 + index};p${index}@example.com;cliente|nuevo`;
  });
  return [
    "\uFEFFNombre;Teléfono;Correo;Etiquetas",
    ...rows,
    "Arruinada;5,21E+12;;",
    `Persona 7 bis;34660000007;;otra`,
  ].join("\r\n");
}

const count = async (from: string): Promise<number> => {
  const [row] = await fixture.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${from}`);
  return Number(row?.n);
};

async function call(method: string, path: string, body?: unknown) {
  const answer = await fixture.dashboard(method, path, body);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.json.data;
}

test("a table becomes contacts, and an undo leaves none", async () => {
  const uploaded = await fixture.upload(table());
  expect(uploaded.status).toBe(201);
  const { id, mapping } = uploaded.json.data;
  await fixture.settle(id);
  await call("PATCH", `/imports/${id}`, { mapping: { ...mapping, overwrite: true } });
  await call("POST", `/imports/${id}/plan`, {});
  await fixture.settle(id);
  const planned = await call("GET", `/imports/${id}`);
  expect([planned.state, planned.counts.planned]).toEqual([
    "planned",
    { create: people, update: 1, unchanged: 0, skip: 1, conflict: 0 },
  ]);
  expect(await count("contacts")).toBe(0);

  await call("POST", `/imports/${id}/commit`, {});
  await fixture.settle(id);
  const done = await call("GET", `/imports/${id}`);
  expect([done.state, done.counts.done]).toMatchObject([
    "done",
    { created: people, updated: 1, unchanged: 0, skipped: 1, conflicts: 0, failed: 0 },
  ]);
  expect(await count("contacts")).toBe(people);
  expect(await count("contact_tags")).toBe(people * 2 + 1);
  expect(await count("events")).toBe(0);
  const [seven] = await fixture.query("SELECT * FROM contacts WHERE phone = '34660000007'");
  expect(seven).toMatchObject({ name: "Persona 7 bis", source: "import", version: 2 });

  await call("POST", `/imports/${id}/undo`, {});
  await fixture.settle(id);
  const undone = await call("GET", `/imports/${id}`);
  expect([undone.state, undone.counts.done]).toMatchObject([
    "undone",
    { undone: people + 1, kept: 0 },
  ]);
  expect([await count("contacts"), await count("contact_tags")]).toEqual([0, 0]);
});

/** An API that is busy until the end of the test. */
async function beBusy(): Promise<void> {
  await fixture.query(
    "INSERT INTO busy_processes VALUES ('api-1', UTC_TIMESTAMP(3) + INTERVAL 1 HOUR)",
  );
}

test("plan, commit and undo take smaller batches while the API is busy", async () => {
  await beBusy();
  const { id } = (await fixture.upload(table())).json.data;
  for (const step of ["plan", "commit", "undo"]) {
    batches = [];
    await call("POST", `/imports/${id}/${step}`, {});
    await fixture.settle(id);
    expect([step, batches[0]]).toEqual([step, 100]);
  }
  expect(await call("GET", `/imports/${id}`)).toMatchObject({ state: "undone" });
  expect(await count("contacts")).toBe(0);
});

test("live views read the contacts again at the end, and once a second at most", async () => {
  await beBusy();
  const { id } = (await fixture.upload(table())).json.data;
  await fixture.query("DELETE FROM changes");
  await call("POST", `/imports/${id}/plan`, {});
  await fixture.settle(id);
  expect(await count("changes WHERE kind = 'contact.updated'")).toBe(0);
  for (const step of ["commit", "undo"]) {
    await fixture.query("DELETE FROM changes");
    const started = Date.now();
    await call("POST", `/imports/${id}/${step}`, {});
    await fixture.settle(id);
    const [last] = await fixture.query<{ kinds: string }>(
      "SELECT GROUP_CONCAT(kind ORDER BY id) AS kinds FROM changes",
    );
    const kinds = last?.kinds.split(",") ?? [];
    expect(kinds.slice(-2)).toEqual(["import.updated", "contact.updated"]);
    // One by the call, one at the end, and one for each second that the batches have touched.
    const seconds = Math.ceil((Date.now() - started) / 1_000) + 1;
    expect(kinds.filter((kind) => kind === "contact.updated").length).toBeLessThan(3 + seconds);
  }
});
