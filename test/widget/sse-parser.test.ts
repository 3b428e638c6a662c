import fc from "fast-check";
import { expect, test } from "vitest";
import { makeSseParser } from "../../widget/panel/net/sse-parser.ts";

test("an event has a name, an id and its lines of data", () => {
  const parse = makeSseParser();
  expect(parse(': hello\nid: 7\nevent: message\ndata: {"a":\ndata: 1}\n\n')).toEqual([
    { id: "7", name: "message", data: '{"a":\n1}' },
  ]);
});

test("an event without data is none, and an id stays for the next events", () => {
  const parse = makeSseParser();
  expect(parse("id: 7\nevent: beat\n\n")).toEqual([]);
  expect(parse("data: x\n\n")).toEqual([{ id: "7", name: "message", data: "x" }]);
});

test("one blank after the colon is no part of the value", () => {
  expect(makeSseParser()("data:  x\n\ndata:y\n\ndata\n\n")).toEqual([
    { id: null, name: "message", data: " x" },
    { id: null, name: "message", data: "y" },
    { id: null, name: "message", data: "" },
  ]);
});

test("pieces of any size give the same events, with any line ends", () => {
  const stream = ["id: 1", "event: a", "data: é1", "data: 2", "", ": beat", "", "data: b", "", ""];
  fc.assert(
    fc.property(
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 }),
      (end, sizes) => {
        // A last carriage return waits for its other half, so another line follows.
        const whole = `${stream.join(end)}:`;
        const parse = makeSseParser();
        const events = [];
        for (let at = 0, index = 0; at < whole.length; index += 1) {
          const size = sizes[index % sizes.length] ?? 1;
          events.push(...parse(whole.slice(at, at + size)));
          at += size;
        }
        expect(events).toEqual([
          { id: "1", name: "a", data: "é1\n2" },
          { id: "1", name: "message", data: "b" },
        ]);
      },
    ),
  );
});
