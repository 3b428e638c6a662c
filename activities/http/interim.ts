import type { Socket } from "node:net";

const shortestInterim = "HTTP/1.1 100";
const maxInterimBytes = 16 * 1_024;

/**
 * Drops interim answers (1xx except 101) before undici reads them. undici ends a connection on a
 * `100 Continue` that it did not ask for, but receivers may send it.
 * @returns the function to call when a request is sent; bytes pass unchanged from the final head
 * on.
 */
export function dropInterimAnswers(socket: Socket): () => void {
  const read = socket.read.bind(socket);
  let held = Buffer.alloc(0);
  let watching = false;

  function passOn(): Buffer {
    const bytes = held;
    held = Buffer.alloc(0);
    watching = false;
    return bytes;
  }

  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk: unknown = read(size);
      if (!Buffer.isBuffer(chunk)) return null;
      if (!watching) return chunk;
      held = dropInterimHeads(Buffer.concat([held, chunk]));
      if (!mayBeInterim(held) || held.length > maxInterimBytes) return passOn();
    }
  };
  return () => {
    watching = true;
  };
}

/** Removes the complete interim heads at the start of the bytes. */
function dropInterimHeads(bytes: Buffer): Buffer<ArrayBuffer> {
  let rest = Buffer.from(bytes);
  while (rest.length >= shortestInterim.length && mayBeInterim(rest)) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) break;
    rest = rest.subarray(end + 4);
  }
  return rest;
}

/** True while the bytes are, or can still become, the start of an interim head. */
function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString("latin1", 0, shortestInterim.length);
  const completed = start + shortestInterim.slice(start.length);
  return /^HTTP\/1\.[01] 1(?!01)\d\d$/.test(completed);
}
