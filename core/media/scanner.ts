import { connect } from "node:net";
import type { Readable } from "node:stream";

/**
 * Verdict of a virus scanner. `too_large`: it takes no file of this size. `away`: it cannot be asked,
 * or gave no verdict.
 */
export type ScanVerdict = "clean" | "infected" | "too_large" | "away";

/** Looks at the bytes of a file. Never throws. */
export type Scan = (source: Readable) => Promise<ScanVerdict>;

const timeoutMs = 60_000;
const maxAnswerBytes = 4_096;

/** Creates the client of a ClamAV daemon. Source: the command INSTREAM of clamd(8). */
export function createScanner({ host, port }: { host: string; port: number }): Scan {
  return async (source) => {
    try {
      return verdictOf(await ask(host, port, source));
    } catch {
      return "away";
    } finally {
      source.destroy();
    }
  };
}

function verdictOf(answer: string): ScanVerdict {
  if (answer.endsWith(" FOUND")) return "infected";
  // ClamAV refuses this file alone: it is above its `StreamMaxLength`.
  if (answer.startsWith("INSTREAM size limit exceeded")) return "too_large";
  return answer.endsWith(": OK") ? "clean" : "away";
}

function ask(host: string, port: number, source: Readable): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    let answer = "";
    const timer = setTimeout(() => socket.destroy(new Error("The scanner is slow.")), timeoutMs);
    socket.setEncoding("utf8");
    // A refusal may come before the end of the file, and the connection then breaks behind it.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(answer.replace(/[\0\n]+$/u, ""));
    });
    socket.on("data", (text: string) => {
      answer = (answer + text).slice(0, maxAnswerBytes);
    });
    socket.once("connect", () => {
      sendChunks(socket, source).catch((error: unknown) =>
        socket.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    });
  });
}

/** Each chunk comes behind its length; a length of 0 ends the stream. */
async function sendChunks(socket: ReturnType<typeof connect>, source: Readable): Promise<void> {
  await write(socket, Buffer.from("zINSTREAM\0"));
  for await (const chunk of source as AsyncIterable<Buffer>) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(chunk.length);
    await write(socket, Buffer.concat([length, chunk]));
  }
  await write(socket, Buffer.alloc(4));
}

function write(socket: ReturnType<typeof connect>, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
