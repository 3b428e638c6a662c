import { connect, type Socket } from "node:net";

/** A stream of Server-Sent Events over a bare socket, for thousands of them in one process. */
export interface EventReader {
  /** The last number, which a client sends back; null before the first. */
  lastId: string | null;
  readonly socket: Socket;
}

/** Options of a reader. */
interface ReaderOptions {
  url: string;
  path: string;
  headers: Record<string, string>;
  /** Gets each event but beats. */
  onEvent: (event: string, data: string, reader: EventReader) => void;
  /** Gets the status of the answer. */
  onStatus?: (status: number) => void;
  onClose?: (reader: EventReader) => void;
}

/**
 * Opens a stream. The answer's chunks are not decoded: sizes of chunks never look like a field of an
 * event.
 */
export function openReader(options: ReaderOptions): EventReader {
  const { hostname, port } = new URL(options.url);
  const socket = connect(Number(port), hostname);
  const reader: EventReader = { lastId: null, socket };
  const lines = Object.entries(options.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${options.path} HTTP/1.1\r\nhost: ${hostname}\r\n${lines.join("")}\r\n`);
  socket.setEncoding("utf8");
  let rest = "";
  let event = "";
  let hasStatus = false;
  socket.on("data", (chunk) => {
    const parts = (rest + String(chunk)).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      if (!hasStatus) {
        hasStatus = true;
        options.onStatus?.(Number(line.split(" ")[1]));
      } else if (line.startsWith("id: ")) reader.lastId = line.slice(4);
      else if (line.startsWith("event: ")) event = line.slice(7);
      else if (line.startsWith("data: ") && event !== "beat")
        options.onEvent(event, line.slice(6), reader);
    }
  });
  socket.on("error", () => undefined);
  socket.on("close", () => options.onClose?.(reader));
  return reader;
}
