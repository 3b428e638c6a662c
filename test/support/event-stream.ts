import { request, type IncomingMessage } from "node:http";

/** One event as a reader gets it. */
export interface StreamEvent {
  id: string | null;
  event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read data by its documented shape
  data: any;
}

/** A reader of Server-Sent Events. */
export interface StreamReader {
  status: number;
  headers: IncomingMessage["headers"];
  /** All but the beats. */
  events: StreamEvent[];
  beats: number;
  /** Numbers of the `change` events, in the order of their arrival. */
  changes(): number[];
  /** The last `id`, which a browser sends back as Last-Event-ID; null before the first. */
  lastId(): string | null;
  /** Everything that arrived. */
  text(): string;
  /** Whether the server has ended the stream, well or by cutting it. */
  ended: boolean;
  /** Takes nothing more until `resume`. */
  pause(): void;
  resume(): void;
  /** Goes away. */
  leave(): void;
}

/** Opens a stream as `EventSource` does. Where it is refused, `text()` is the answer when it has `ended`. */
export async function readStream(
  url: string,
  headers: Record<string, string>,
): Promise<StreamReader> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, { agent: false, headers }, (response) =>
      resolve(follow(response, () => outgoing.destroy())),
    );
    outgoing.on("error", reject);
    outgoing.end();
  });
}

function follow(response: IncomingMessage, leave: () => void): StreamReader {
  const received: string[] = [];
  let rest = "";
  let lastId: string | null = null;
  const reader: StreamReader = {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events: [],
    beats: 0,
    changes: () =>
      reader.events.flatMap(({ event, id }) => (event === "change" ? [Number(id)] : [])),
    lastId: () => lastId,
    text: () => received.join(""),
    ended: false,
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    leave,
  };
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    received.push(chunk);
    const blocks = (rest + chunk).split("\n\n");
    // What is not ended by an empty line is no event, also at the end of the stream.
    rest = blocks.pop() ?? "";
    for (const event of blocks.map(parseBlock)) {
      if (event === null) continue;
      if (event.event === "beat") {
        reader.beats += 1;
        continue;
      }
      lastId = event.id ?? lastId;
      reader.events.push(event);
    }
  });
  response.on("error", () => undefined);
  response.on("close", () => (reader.ended = true));
  return reader;
}

function parseBlock(block: string): StreamEvent | null {
  const fields = new Map(
    block.split("\n").map((line) => {
      const [name = "", ...rest] = line.split(": ");
      return [name, rest.join(": ")] as const;
    }),
  );
  const data = fields.get("data");
  if (data === undefined) return null;
  const event = fields.get("event") ?? "message";
  return { id: fields.get("id") ?? null, event, data: JSON.parse(data) };
}
