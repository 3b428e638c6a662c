import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, inject, test } from "vitest";
import { importFile } from "../support/import-files.ts";

test("the build has the process that reads files, and it needs no setting", async () => {
  const reader = join(inject("serverBuild"), "dist", "import-reader.js");
  const child = spawn(process.execPath, [reader], { env: { TZ: "UTC" } });
  const path = importFile("chats/android-spanish.txt");
  const request = { task: "detect", path, kind: "chat", chosen: {} };
  child.stdin.write(`${JSON.stringify(request)}\n`);
  const lines = (await text(child.stdout)).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { started: true },
    { item: expect.objectContaining({ format: "chat", messages: 3 }) },
    { end: true },
  ]);
});
