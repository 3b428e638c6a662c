import { execFile } from "node:child_process";
import { getPriority } from "node:os";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openArchive } from "../../../core/imports/archive.ts";
import { detectContent } from "../../../core/imports/detect-content.ts";
import { detectFile } from "../../../core/imports/detect.ts";
import { runReader } from "../../../core/imports/reader-process.ts";
import type { DetectedTable, ImportErrorCode, ImportKindName } from "../../../core/model/import.ts";
import { listOf, withFile } from "../../support/import-files.ts";
import { xlsx } from "../../support/spreadsheet.ts";
import { zip } from "../../support/zip.ts";

const run = promisify(execFile);

interface HostileFile {
  name: string;
  kind?: ImportKindName;
  content: Buffer | string;
  code: ImportErrorCode;
  line?: number;
}

const row = "Ana,5215512345678\n";
const chat = { name: "_chat.txt", content: "13/3/26, 13:45 - Ana: hi\n" };
const png = Buffer.from(
  "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489",
  "hex",
);
const ole = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(2048)]);
const manyNames = Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}`, content: "" }));

const hostile: HostileFile[] = [
  { name: "an empty file", content: "", code: "file_empty" },
  { name: "a header alone", content: "name,phone\n", code: "file_empty" },
  { name: "a picture", content: png, code: "file_unsupported" },
  { name: "an old spreadsheet", content: ole, code: "file_unsupported" },
  { name: "a chat as a table", content: chat.content, code: "file_unsupported" },
  { name: "a NUL byte", content: `a,b\n${row}x,\0\n`, code: "nul_byte", line: 3 },
  {
    name: "UTF-16 without a mark",
    content: Buffer.from(row, "utf16le"),
    code: "nul_byte",
    line: 1,
  },
  {
    name: "a quote that is never closed",
    content: `a,b\n${row}"x,y\n${row}`,
    code: "quote_unclosed",
    line: 3,
  },
  {
    name: "a quote that is never closed, in a large file",
    content: `a,b\n${row}\n"x,y\n${row.repeat(10_000)}`,
    code: "quote_unclosed",
    line: 4,
  },
  {
    name: "a record over 64 KiB",
    content: `a,b\n${row}x,${"z".repeat(70_000)}\n`,
    code: "record_too_long",
    line: 3,
  },
  { name: "201 columns", content: `a\n${",b".repeat(201)}\n`, code: "too_many_columns", line: 2 },
  { name: "an archive that is cut", content: zip([chat]).subarray(0, 60), code: "file_unreadable" },
  {
    name: "an encrypted entry",
    content: zip([{ name: "_chat.txt", content: "secret", isEncrypted: true }]),
    code: "zip_encrypted",
  },
  {
    name: "an archive within an archive",
    content: zip([chat, { name: "more.zip", content: zip([chat]) }]),
    code: "zip_nested",
  },
  {
    name: "an absolute name",
    content: zip([chat, { name: "/etc/passwd", content: "x" }]),
    code: "zip_unsafe_name",
  },
  {
    name: "an absolute name of Windows",
    content: zip([chat, { name: "C:\\x.jpg", content: "x" }]),
    code: "zip_unsafe_name",
  },
  {
    name: "a name that leaves its folder",
    content: zip([chat, { name: "media/../../x.jpg", content: "x" }]),
    code: "zip_unsafe_name",
  },
  {
    name: "a name that leaves its folder by backslashes",
    content: zip([chat, { name: "..\\x.jpg", content: "x" }]),
    code: "zip_unsafe_name",
  },
  {
    name: "more than 10,000 entries",
    content: zip([chat, ...manyNames]),
    code: "zip_too_many_entries",
  },
  {
    name: "more than 1 GiB, as the archive says",
    content: zip([chat, { name: "a", content: "x", namedSize: 2 ** 30 }]),
    code: "zip_too_large",
  },
  {
    name: "a file that shrinks to less than a 200th",
    content: zip([chat, { name: "a.jpg", content: Buffer.alloc(4_000_000) }]),
    code: "zip_ratio",
  },
  {
    name: "a chat that is larger than the archive says",
    content: zip([{ name: "_chat.txt", content: chat.content.repeat(100), namedSize: 10 }]),
    code: "file_unreadable",
  },
  {
    name: "an archive without a chat",
    content: zip([{ name: "a.jpg", content: "x" }]),
    code: "zip_without_chat",
  },
  {
    name: "a spreadsheet as a chat",
    content: xlsx([{ name: "A", rows: [["a"]] }]),
    code: "file_unsupported",
  },
  {
    name: "a spreadsheet without a visible sheet",
    kind: "contacts",
    content: xlsx([{ name: "A", rows: [["a"]], state: "veryHidden" }]),
    code: "sheet_missing",
  },
  {
    name: "a spreadsheet with 201 columns",
    kind: "contacts",
    content: xlsx([{ name: "A", rows: [["a"], Array.from({ length: 201 }, () => "x")] }]),
    code: "too_many_columns",
    line: 2,
  },
  {
    name: "a spreadsheet whose sheet is no XML",
    kind: "contacts",
    content: zip([
      { name: "xl/workbook.xml", content: "<workbook><sheets>" },
      { name: "xl/_rels/workbook.xml.rels", content: "<" },
    ]),
    code: "sheet_missing",
  },
  {
    name: "a spreadsheet whose part is larger than the archive says",
    kind: "contacts",
    content: xlsx(
      [{ name: "A", rows: [["a"]] }],
      [{ name: "xl/media/a.png", content: Buffer.alloc(5_000), namedSize: 5 }],
    ),
    code: "file_unreadable",
  },
];

const isArchive = ({ content }: HostileFile): boolean => content.slice(0, 2).toString() === "PK";

test.each(hostile)("$name is refused as $code", async (file) => {
  const { kind = isArchive(file) ? "chat" : "contacts", content, code, line = null } = file;
  await withFile(content, async (path) => {
    await expect(detectContent(path, kind, {})).rejects.toMatchObject({ code, line });
  });
});

test("an entry that inflates to more than its archive says ends its own stream", async () => {
  const archive = zip([
    { name: "a.jpg", content: Buffer.alloc(100_000, "abc"), namedSize: 99_000 },
  ]);
  await withFile(archive, async (path) => {
    const opened = await openArchive(path);
    const reading = listOf(await opened.open("a.jpg"));
    await expect(reading).rejects.toMatchObject({ code: "file_unreadable" });
    opened.close();
  });
});

test("a code and a line come out of the process of their own", async () => {
  await withFile(`a,b\n${row}"x,y\n`, async (path) => {
    const detecting = detectFile(path, "contacts");
    await expect(detecting).rejects.toMatchObject({ code: "quote_unclosed", line: 3 });
  });
});

test.each([
  ["50 long rows", "z", 49],
  ["a header and a row at the limit, six characters for each in JSON", "\u0001", 1],
])("a table with %s is read, and its sample is short", async (_, letter, count) => {
  const long = letter.repeat(65_000);
  const lines = [`${long},Number`, ...Array.from({ length: count }, () => `${long},5215512345678`)];
  await withFile(`${lines.join("\n")}\n${row}`, async (path) => {
    const detected = (await detectFile(path, "contacts")) as DetectedTable;
    expect([detected.has_header, detected.rows]).toEqual([true, count + 1]);
    expect(detected.sample).toHaveLength(2);
  });
});

test("a file that exhausts the heap is unreadable, and this process goes on", async () => {
  const texts = Array.from({ length: 1_000_000 }, (_, index) => `text ${index}`);
  await withFile(xlsx([{ name: "A", rows: [["a"]] }], [], texts), async (path) => {
    const reading = listOf(
      runReader({ task: "xlsx", path }, undefined, { heapMib: 48, timeMs: 60_000 }),
    );
    await expect(reading).rejects.toMatchObject({ code: "file_unreadable" });
  });
});

test("a file that takes too long is unreadable", async () => {
  await withFile(chat.content.repeat(300_000), async (path) => {
    const request = { task: "detect", kind: "chat", chosen: {}, path } as const;
    const reading = listOf(runReader(request, undefined, { heapMib: 256, timeMs: 0 }));
    await expect(reading).rejects.toMatchObject({ code: "file_unreadable" });
  });
});

test("an aborted reading ends with the reason", async () => {
  await withFile(chat.content, async (path) => {
    const controller = new AbortController();
    const reading = listOf(
      runReader({ task: "detect", kind: "chat", chosen: {}, path }, controller.signal),
    );
    controller.abort(new Error("The worker stops."));
    await expect(reading).rejects.toThrow("The worker stops.");
  });
});

test("the process that reads lets the calls and deliveries beside it go first", async () => {
  await withFile(chat.content.repeat(20_000), async (path) => {
    const options = { us: "Ana", time_zone: "UTC", day_first: true };
    const reading = runReader({ task: "chat", path, options });
    await reading.next();
    const { stdout } = await run("ps", ["-A", "-o", "ppid=,nice=,args="]);
    const own = stdout
      .split("\n")
      .map((line) => line.trim().split(/\s+/u))
      .filter(([ppid]) => Number(ppid) === process.pid)
      .filter((words) => words.some((word) => word.includes("reader-main")));
    expect(own.map(([, nice]) => Number(nice) > getPriority())).toEqual([true]);
    await reading.return(undefined);
  });
});
