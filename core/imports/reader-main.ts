import { once } from "node:events";
import { createInterface } from "node:readline";
import { ImportFileError } from "./import-error.ts";
import { runTask, type ReaderRequest } from "./reader-tasks.ts";

// The process that reads spreadsheets and chats. It gets one request as a line of JSON, and answers
// with lines of JSON. A file that exhausts the heap ends this process alone.

async function write(message: object): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(message)}\n`)) await once(process.stdout, "drain");
}

async function answer(line: string): Promise<void> {
  const request = JSON.parse(line) as ReaderRequest;
  try {
    for await (const item of runTask(request)) await write({ item });
    await write({ end: true });
  } catch (error) {
    // The libraries have errors of their own for a file that they cannot read.
    const fault = error instanceof ImportFileError ? error : new ImportFileError("file_unreadable");
    await write({ error: { code: fault.code, line: fault.line } });
  }
  process.exitCode = 0;
  input.close();
  process.stdin.destroy();
}

const input = createInterface({ input: process.stdin });
input.once("line", (line) => void answer(line));
// The parent holds the other end. When the parent has died, nobody reads the answer.
process.stdin.once("end", () => process.exit());
await write({ started: true });
