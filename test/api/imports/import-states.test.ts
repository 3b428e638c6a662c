import { beforeEach, expect, test } from "vitest";
import { adviceOn } from "../../../core/model/import-advice.ts";
import {
  importStates,
  importTransitions,
  type ImportCommand,
  type ImportState,
} from "../../../core/model/workflow/importing.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startImportFixture, threeContacts } from "./import-fixture.ts";

const fixture = useFixture(startImportFixture);
let id: number;

const mapping = { columns: [{ index: 1, field: "phone" }] };
const visible = importStates.filter((state) => state !== "uploaded");

beforeEach(async () => {
  id = (await fixture.upload(threeContacts)).json.data.id;
  await fixture.query("DELETE FROM outbox");
});

async function setState(state: ImportState): Promise<void> {
  await fixture.query(
    `UPDATE imports SET state = ?, is_begun = 1, undo_until = UTC_TIMESTAMP(3) + INTERVAL 1 HOUR
      WHERE id = ?`,
    [state, id],
  );
}

const call = async (command: ImportCommand, body?: unknown) =>
  command === "map"
    ? await fixture.dashboard("PATCH", `/imports/${id}`, { mapping })
    : await fixture.dashboard("POST", `/imports/${id}/${command}`, body);

const commands = Object.keys(importTransitions) as ImportCommand[];

test.each(commands)(
  "%s applies to the states that it is for, and is 409 in any other",
  async (command) => {
    const { from, to } = importTransitions[command];
    for (const state of visible) {
      await setState(state);
      const { status, json } = await call(command);
      const isAllowed = from.some((one) => one === state);
      const expected = isAllowed ? [200, to] : [409, "import_state"];
      expect([state, status, json.data?.state ?? json.error.code]).toEqual([state, ...expected]);
    }
  },
);

test("a call wakes the run in the transaction of its change, and leaves who made it", async () => {
  await call("plan", { reason: "new list" });
  const [row] = await fixture.query<{ command: { workflowId: string } }>(
    "SELECT command FROM outbox",
  );
  expect(row?.command).toMatchObject({
    workflowId: `import-${id}`,
    signal: "changed",
    again: true,
  });
  const audit = await fixture.query(
    "SELECT action, details, actor_id FROM audit_log WHERE target_id = ?",
    [id],
  );
  expect(audit).toContainEqual({
    action: "import.plan_requested",
    details: { state: "mapping", reason: "new list" },
    actor_id: fixture.account.userId,
  });
});

test("an undo has a run of its own, within 24 hours, and only after a commit has begun", async () => {
  await setState("done");
  expect((await call("undo")).json.data.state).toBe("undoing");
  const [row] = await fixture.query<{ command: object }>("SELECT command FROM outbox");
  expect(row?.command).toMatchObject({
    workflow: "undoImport",
    workflowId: `undo-import-${id}`,
    again: true,
  });
  await setState("done");
  await fixture.query("UPDATE imports SET undo_until = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND");
  const late = await call("undo");
  expect([late.status, late.json.error.code]).toEqual([409, "import_undo_expired"]);
  await setState("cancelled");
  await fixture.query("UPDATE imports SET is_begun = 0");
  const idle = await call("undo");
  expect([idle.status, idle.json.error.code]).toEqual([409, "import_state"]);
});

test("an import without a mapping cannot be planned", async () => {
  await fixture.query("UPDATE imports SET mapping = NULL WHERE id = ?", [id]);
  const answer = await call("plan");
  expect([answer.status, answer.json.error.code]).toEqual([409, "import_not_mapped"]);
});

test.each([
  [{ columns: [{ index: 0, field: "name" }] }, "body.mapping.columns"],
  [
    {
      columns: [
        { index: 1, field: "phone" },
        { index: 1, field: null },
      ],
    },
    "body.mapping.columns",
  ],
  [
    {
      columns: [
        { index: 1, field: "phone" },
        { index: 2, field: "phone" },
      ],
    },
    "body.mapping.columns",
  ],
  [{ columns: [{ index: 200, field: "phone" }] }, "body.mapping.columns.0.index"],
  [{ columns: [{ index: 1, field: "fax" }] }, "body.mapping.columns.0.field"],
  [{ columns: [{ index: 1, field: "phone" }], country: "Mexico" }, "body.mapping.country"],
  [{ columns: [{ index: 1, field: "phone" }], us: "Ana" }, "body.mapping.us"],
])("the mapping %j is 400 for %s", async (wrong, path) => {
  const { status, json } = await fixture.dashboard("PATCH", `/imports/${id}`, { mapping: wrong });
  expect([status, json.error.code]).toEqual([400, "validation_error"]);
  expect(json.error.details).toContainEqual(expect.objectContaining({ path }));
});

test("rows are filtered by plan, reason and difference, and paged by their number", async () => {
  const insert = async (number: number, plan: string, state: string, more: string) =>
    await fixture.query(
      `INSERT INTO import_rows SET import_id = ?, number = ?, account_id = ?, plan = ?, state = ?,
              raw = JSON_ARRAY('Ana', '1'), ${more}`,
      [id, number, fixture.account.accountId, plan, state],
    );
  await insert(2, "create", "created", "differs = 0");
  await insert(3, "skip", "skipped", "reason = 'invalid_phone'");
  await insert(4, "create", "updated", "differs = 1");
  await insert(5, "skip", "skipped", "reason = 'no_identifier'");
  const numbers = async (query: string) => {
    const { json } = await fixture.dashboard("GET", `/imports/${id}/rows?${query}`);
    return [json.data.map((row: { row_number: number }) => row.row_number), json.meta.next];
  };
  expect(await numbers("")).toEqual([[2, 3, 4, 5], null]);
  expect(await numbers("limit=3")).toEqual([[2, 3, 4], 4]);
  expect(await numbers("limit=3&after=4")).toEqual([[5], null]);
  expect(await numbers("plan=skip")).toEqual([[3, 5], null]);
  expect(await numbers("plan=skip&reason=no_identifier")).toEqual([[5], null]);
  expect(await numbers("state=updated")).toEqual([[4], null]);
  expect(await numbers("differs=true")).toEqual([[4], null]);
});

test("the file of errors has the original columns, the reason and what to do, and no formula", async () => {
  const insert = async (number: number, cells: string[], rest: string) =>
    await fixture.query(
      `INSERT INTO import_rows SET import_id = ?, number = ?, account_id = ?, raw = ?, ${rest}`,
      [id, number, fixture.account.accountId, JSON.stringify(cells)],
    );
  await insert(2, ["Ana", "5215512345678", ""], "plan = 'create', state = 'created'");
  await insert(3, ["=1+1", "12", "a@x.example"], "plan = 'skip', reason = 'invalid_phone'");
  await insert(4, ["Luis", "5215587654321"], "plan = 'create', state = 'updated', differs = 1");
  const answer = await fixture.dashboard("GET", `/imports/${id}/errors.csv`);
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(answer.headers.get("content-disposition")).toContain(`import-${id}-errors.csv`);
  expect(answer.text.replace(/^\uFEFF/u, "").split("\n")).toEqual([
    "Name,Phone,Email,error,error_text",
    `'=1+1,12,a@x.example,invalid_phone,"${adviceOn("invalid_phone", "en")}"`,
    `Luis,5215587654321,,updated,"${adviceOn("updated", "en")}"`,
    "",
  ]);
  // The text is in the language of the person, else in that of the account.
  const { accountId, userId } = fixture.account;
  const linesIn = async () =>
    (await fixture.dashboard("GET", `/imports/${id}/errors.csv`)).text.split("\n")[1];
  await fixture.query("UPDATE users SET locale = 'es' WHERE id = ?", [userId]);
  expect(await linesIn()).toContain(adviceOn("invalid_phone", "es"));
  await fixture.query("UPDATE users SET locale = NULL WHERE id = ?", [userId]);
  await fixture.query("UPDATE accounts SET locale = 'es' WHERE id = ?", [accountId]);
  expect(await linesIn()).toContain(adviceOn("invalid_phone", "es"));
});
