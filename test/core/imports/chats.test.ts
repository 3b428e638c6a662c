import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { detectFile } from "../../../core/imports/detect.ts";
import { openChatFiles, readChat } from "../../../core/imports/read-chat.ts";
import { runTask, type ChatOptions } from "../../../core/imports/reader-tasks.ts";
import type { ChatRow, DetectedChat } from "../../../core/model/import.ts";
import { expectedOf, importFile, listOf, withFile } from "../../support/import-files.ts";
import { zip } from "../../support/zip.ts";

interface ExpectedChat {
  options: ChatOptions;
  detected: Pick<DetectedChat, "day_first" | "authors" | "first_at" | "last_at">;
  messages: ChatRow[];
}

const names = readdirSync(importFile("chats"))
  .filter((name) => name.endsWith(".txt"))
  .map((name) => name.slice(0, -4));

test("there are twelve chats", () => expect(names).toHaveLength(12));

test.each(names)("the chat %s reads as the file beside it says", async (name) => {
  const path = importFile(`chats/${name}.txt`);
  const expected = await expectedOf<ExpectedChat>(`chats/${name}.json`);
  const [detected] = await listOf(runTask({ task: "detect", path, kind: "chat", chosen: {} }));
  expect(detected).toMatchObject(expected.detected);
  const task = { task: "chat", path, options: expected.options } as const;
  expect(await listOf(runTask(task))).toEqual(expected.messages);
});

test("an archive is read in a process of its own, and its files are opened by name", async () => {
  const chat = await readFile(importFile("chats/android-portuguese.txt"));
  const { options, messages } = await expectedOf<ExpectedChat>("chats/android-portuguese.json");
  const archive = zip([
    { name: "Conversa do WhatsApp com João.txt", content: chat },
    { name: "IMG-20260316-WA0001.jpg", content: "a picture" },
    { name: "__MACOSX/._IMG-20260316-WA0001.jpg", content: "attributes" },
  ]);
  await withFile(archive, async (path) => {
    const detected = await detectFile(path, "chat");
    expect(detected).toMatchObject({ format: "chat", messages: 4, media: 1 });
    expect(detected.sample[1]).toContain("(arquivo anexado)");
    expect(await listOf(readChat(path, options))).toEqual(messages);
    const files = await openChatFiles(path);
    const file = await files.open("IMG-20260316-WA0001.jpg");
    expect(file && (await text(file))).toBe("a picture");
    expect(await files.open("PTT-20260316-WA0002.opus")).toBe(null);
    files.close();
  });
});

test("a file of the archive needs no known word behind its name", async () => {
  const archive = zip([
    { name: "_chat.txt", content: "13/3/26, 13:45 - Ana: menu.pdf (pièce jointe)\n" },
    { name: "menu.pdf", content: "%PDF" },
  ]);
  await withFile(archive, async (path) => {
    const options = { us: "Shop", time_zone: "UTC", day_first: true };
    const [message] = await listOf(runTask({ task: "chat", path, options }));
    expect(message).toMatchObject({ kind: "document", file: "menu.pdf", text: "" });
  });
});

test("more than two authors are a group, and a text without messages is no chat", async () => {
  const group = "13/3/26, 13:45 - A: a\n13/3/26, 13:45 - B: b\n13/3/26, 13:45 - C: c\n";
  const detect = async (content: string) =>
    await withFile(content, async (path) => {
      return await listOf(runTask({ task: "detect", path, kind: "chat", chosen: {} }));
    });
  await expect(detect(group)).rejects.toMatchObject({ code: "chat_group", line: 3 });
  await expect(detect("name,phone\nAna,1")).rejects.toMatchObject({ code: "chat_empty" });
});

test("the order of days and months follows from the order of the messages", async () => {
  const lines = ["05/03/26, 10:00 - A: a", "06/03/26, 10:00 - B: b", "01/04/26, 10:00 - A: c"];
  await withFile(lines.join("\n"), async (path) => {
    const [detected] = await listOf(runTask({ task: "detect", path, kind: "chat", chosen: {} }));
    expect(detected).toMatchObject({ day_first: true });
  });
});
