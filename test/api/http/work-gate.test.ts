import { expect, test } from "vitest";
import { createWorkGate } from "../../../api/http/work-gate.ts";

test("two run at once for a key, a few wait in order, and the next is refused", async () => {
  const gate = createWorkGate({ atOnce: 2, waiting: 2 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => async () => {
    begun.push(name);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    return name;
  };
  const running = ["a", "b", "c", "d"].map((name) => gate.run("link", work(name)));
  await expect(gate.run("link", work("e"))).rejects.toMatchObject({ code: "rate_limited" });
  const other = gate.run("other", work("f"));
  expect(begun).toEqual(["a", "b", "f"]);
  for (const name of ["b", "a", "c", "d", "f"]) {
    await expect.poll(() => ends.has(name)).toBe(true);
    ends.get(name)?.();
  }
  expect(await Promise.all([...running, other])).toEqual(["a", "b", "c", "d", "f"]);
  expect(begun).toEqual(["a", "b", "f", "c", "d"]);
});

test("work that fails makes room for who waits", async () => {
  const gate = createWorkGate({ atOnce: 1, waiting: 1 });
  const failing = gate.run("link", async () => await Promise.reject(new Error("no")));
  const next = gate.run("link", async () => await Promise.resolve(1));
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe(1);
});
