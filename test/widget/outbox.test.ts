import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { VisitMessageBody } from "../../core/model/widget-visit.ts";
import { backOffMs } from "../../widget/panel/net/back-off.ts";
import { CallError } from "../../widget/panel/net/call-error.ts";
import { maxUnsent, Outbox, type Shelf } from "../../widget/panel/net/outbox.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function makeShelf(): Shelf & { text: string | null } {
  return {
    text: null,
    read() {
      return this.text;
    },
    write(text) {
      this.text = text;
    },
  };
}

/** An outbox on a network that a test switches off and on. `begin` waits for the session. */
function makeOutbox(shelf = makeShelf(), begin: () => Promise<void> = async () => undefined) {
  const network: { sent: string[]; fault: CallError | null } = { sent: [], fault: null };
  const outbox = new Outbox({
    shelf,
    begin,
    send: async ({ client_id }: VisitMessageBody) => {
      await Promise.resolve();
      if (network.fault !== null) throw network.fault;
      network.sent.push(client_id);
    },
    onChange: () => undefined,
  });
  return { outbox, network, shelf };
}

const settle = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0));

test("messages leave in the order of writing", async () => {
  const { outbox, network } = makeOutbox();
  for (const client_id of ["a", "b", "c"]) outbox.add({ client_id, content: client_id });
  await settle();
  expect(network.sent).toEqual(["a", "b", "c"]);
  expect(outbox.items).toEqual([]);
});

test("without a network they wait, and leave in order under the same ids once it is back", async () => {
  const { outbox, network } = makeOutbox();
  network.fault = new CallError("network", 0);
  for (const client_id of ["a", "b"]) outbox.add({ client_id, content: client_id });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(outbox.items.map(({ state }) => state)).toEqual(["waiting", "waiting"]);
  network.fault = null;
  outbox.flush();
  await settle();
  expect(network.sent).toEqual(["a", "b"]);
});

test("a reload keeps them", async () => {
  const { outbox, network, shelf } = makeOutbox();
  network.fault = new CallError("network", 0);
  outbox.add({ client_id: "a", content: "a" });
  await settle();
  const later = makeOutbox(shelf);
  later.outbox.setOwner("v_1");
  later.outbox.flush();
  await settle();
  expect(later.network.sent).toEqual(["a"]);
  expect(shelf.text).toBeNull();
});

test("a message that is written while the session begins goes after the older ones", async () => {
  const { outbox, network, shelf } = makeOutbox();
  network.fault = new CallError("network", 0);
  outbox.setOwner("v_1");
  outbox.add({ client_id: "a", content: "a" });
  await settle();
  let begin = (): void => undefined;
  const session = new Promise<void>((resolve) => (begin = resolve));
  const later = makeOutbox(shelf, async () => await session);
  later.outbox.add({ client_id: "b", content: "b" });
  await settle();
  later.outbox.setOwner("v_1");
  begin();
  await settle();
  expect(later.network.sent).toEqual(["a", "b"]);
  expect(later.outbox.items).toEqual([]);
});

test("a message of a visitor who left while the session began is not sent", async () => {
  let begin = (): void => undefined;
  const session = new Promise<void>((resolve) => (begin = resolve));
  const { outbox, network } = makeOutbox(makeShelf(), async () => await session);
  outbox.add({ client_id: "a", content: "a" });
  outbox.clear();
  outbox.setOwner("u_2");
  begin();
  await settle();
  expect(network.sent).toEqual([]);
});

/** Ids that a visitor finds in an outbox which another page, or an earlier version, has left. */
async function findLeft(owner: string | undefined, next: string) {
  const { shelf, outbox, network } = makeOutbox();
  network.fault = new CallError("network", 0);
  if (owner !== undefined) outbox.setOwner(owner);
  outbox.add({ client_id: "a", content: "a" });
  await settle();
  const later = makeOutbox(shelf);
  later.outbox.flush();
  await settle();
  expect([later.outbox.items, later.network.sent]).toEqual([[], []]);
  later.outbox.setOwner(next);
  const kept = later.outbox.items.map(({ body }) => body.client_id);
  expect(shelf.text !== null).toBe(kept.length > 0);
  return kept;
}

test.each([
  ["u_ana", "u_ana", ["a"]],
  ["u_ana", "u_luis", []],
  ["u_ana", "v_1", []],
  ["v_1", "u_ana", ["a"]],
  ["v_1", "v_2", ["a"]],
  [undefined, "v_1", ["a"]],
  [undefined, "u_ana", []],
])("a message that %s left goes to %s: %j", async (owner, next, kept) => {
  expect(await findLeft(owner, next)).toEqual(kept);
});

test("a message written before the session is known is the visitor's", async () => {
  const { outbox, network } = makeOutbox();
  network.fault = new CallError("network", 0);
  outbox.add({ client_id: "a", content: "a" });
  await settle();
  outbox.setOwner("u_ana");
  expect(outbox.items).toMatchObject([{ owner: "u_ana" }]);
});

test("a tab without messages leaves alone what another tab has stored", () => {
  const { outbox, shelf } = makeOutbox();
  shelf.text = "of another tab";
  outbox.setOwner("v_1");
  expect(shelf.text).toBe("of another tab");
});

test.each([null, "", "{}", "[1]", "no json"])("a spoilt shelf holds no message: %j", (text) => {
  const shelf = makeShelf();
  shelf.text = text;
  const { outbox } = makeOutbox(shelf);
  outbox.setOwner("v_1");
  expect(outbox.items).toEqual([]);
});

test("a refusal fails its message alone, and a person may try again", async () => {
  const { outbox, network } = makeOutbox();
  network.fault = new CallError("validation_error", 400);
  outbox.add({ client_id: "a", content: "a" });
  await settle();
  expect(outbox.items).toMatchObject([{ state: "failed", error: "validation_error" }]);
  network.fault = null;
  outbox.add({ client_id: "b", content: "b" });
  await settle();
  outbox.retry("a");
  await settle();
  expect(network.sent).toEqual(["b", "a"]);
});

test("a limit is kept for as long as the API says", async () => {
  const { outbox, network } = makeOutbox();
  network.fault = new CallError("rate_limited", 429, { retryAfterSeconds: 7 });
  outbox.add({ client_id: "a", content: "a" });
  await settle();
  network.fault = null;
  await vi.advanceTimersByTimeAsync(6_900);
  expect(network.sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(700);
  expect(network.sent).toEqual(["a"]);
});

test("at most 20 messages wait", async () => {
  const { outbox, network } = makeOutbox();
  network.fault = new CallError("network", 0);
  const added = Array.from({ length: maxUnsent + 1 }, (_, at) =>
    outbox.add({ client_id: `id-${at}`, content: "x" }),
  );
  expect(added.filter(Boolean)).toHaveLength(20);
  await settle();
});

test("pauses between tries grow to 30 s, with full jitter", () => {
  const longest = [1, 2, 3, 4, 5, 9].map((tries) => backOffMs(tries, () => 1));
  expect(longest).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(backOffMs(9, () => 0)).toBe(0);
});
