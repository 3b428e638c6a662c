import { expect, test } from "vitest";
import {
  hangingModel,
  startHangingModel,
  textOf,
  type HangingModel,
} from "../../tools/faults/hanging-model.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startHangingModel);
const booking = { serviceId: 7, day: "2026-12-01", time: "10:00" };

/** Asks as a worker does. `results`: results of tools so far. */
async function ask(
  { url }: Pick<HangingModel, "url">,
  results: number,
  signal?: AbortSignal,
): Promise<string> {
  const messages = [
    { role: "user", content: textOf(booking) },
    ...Array.from({ length: results }, () => ({ role: "tool", content: "{}" })),
  ];
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: hangingModel, messages }),
    signal: signal ?? null,
  });
  return await response.text();
}

test("the model books what the customer named, and then says good-bye", async () => {
  const first = await ask(fixture, 0);
  expect(first).toContain("book_appointment");
  for (const part of ["2026-12-01", "10:00", "Ana Torres"]) expect(first).toContain(part);
  expect(await ask(fixture, 1)).toContain("te esperamos");
});

test("calls of the held step wait until their release, and others do not", async () => {
  fixture.hold(2);
  expect(await ask(fixture, 0)).toContain("book_appointment");
  const held = ask(fixture, 1);
  await eventually(() => expect(fixture.waiting()).toHaveLength(1));
  fixture.release();
  expect(await held).toContain("te esperamos");
  expect(await ask(fixture, 1)).toContain("te esperamos");
  expect(fixture.waiting()).toHaveLength(0);
});

test("a call whose client is gone waits no more", async () => {
  fixture.hold(1);
  const client = new AbortController();
  const held = ask(fixture, 0, client.signal).catch(() => "gone");
  await eventually(() => expect(fixture.waiting()).toHaveLength(1));
  client.abort();
  expect(await held).toBe("gone");
  await eventually(() => expect(fixture.waiting()).toHaveLength(0));
  expect(fixture.requests().at(-1)?.closedByClientAt).not.toBeNull();
});
