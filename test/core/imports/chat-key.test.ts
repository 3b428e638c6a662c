import { expect, test } from "vitest";
import { chatKey, countKeys, findNew } from "../../../core/imports/chat-key.ts";

const at = (time: string) => new Date(`2026-03-06T${time}Z`);

test("seconds, marks, spaces and the form of accents make no difference", () => {
  const one = chatKey({ at: at("13:45:00"), direction: "in", text: "Café  sí" });
  const other = chatKey({ at: at("13:45:59"), direction: "in", text: "\u200eCafe\u0301 sí\n" });
  expect(one).toBe(other);
});

test("minute, direction and case make a difference", () => {
  const keys = [
    chatKey({ at: at("13:45:00"), direction: "in", text: "ok" }),
    chatKey({ at: at("13:46:00"), direction: "in", text: "ok" }),
    chatKey({ at: at("13:45:00"), direction: "out", text: "ok" }),
    chatKey({ at: at("13:45:00"), direction: "in", text: "OK" }),
  ];
  expect(new Set(keys).size).toBe(4);
});

test("of equal messages only those beyond the known number are new", () => {
  const known = countKeys(["a", "a", "b"]);
  expect(findNew(["a", "a", "a", "b", "c"], new Map(), known)).toEqual([
    false,
    false,
    true,
    false,
    true,
  ]);
  expect(findNew(["a", "a"], countKeys(["a"]), known)).toEqual([false, true]);
});
