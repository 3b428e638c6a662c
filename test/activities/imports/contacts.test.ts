import { beforeEach, expect, test } from "vitest";
import { importWorks } from "../../../activities/imports/kinds.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startImportWork } from "./import-work-fixture.ts";

const fixture = useFixture(() => startImportWork(importWorks.contacts));

beforeEach(async () => {
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
