import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { freePort } from "../../dev/child.ts";

/** A message that reached the Graph API of the bench. */
export interface SentMessage {
  /** Our id of the message: `biz_opaque_callback_data`. */
  id: string;
  /** In `performance.now()`. */
  at: number;
}

/** A Graph API that takes messages, and refuses those above a number's rate, as Meta does. */
export interface BenchGraph {
  url: string;
  sent: SentMessage[];
  /** Messages that were refused with 130429. */
  refused(): number;
  stop(): Promise<void>;
}

const windowMs = 1_000;

/** @param perSecond messages that a number may send within one second */
export async function startBenchGraph(perSecond: number): Promise<BenchGraph> {
  const sent: SentMessage[] = [];
  let refused = 0;
  const server = createServer((request, response) => {
    readJson(request, (body) => {
      const id = body["biz_opaque_callback_data"];
      if (typeof id !== "string") return answer(response, 200, { success: true });
      const at = performance.now();
      const oldest = sent.at(-perSecond);
      if (oldest !== undefined && at - oldest.at < windowMs) {
        refused += 1;
        return answer(response, 429, { error: { message: "Rate limit hit", code: 130_429 } });
      }
      sent.push({ id, at });
      const messages = [{ id: `wamid.out-${id}` }];
      return answer(response, 200, { messaging_product: "whatsapp", messages });
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    refused: () => refused,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readJson(request: IncomingMessage, onBody: (body: Record<string, unknown>) => void) {
  let text = "";
  request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  request.on("end", () => {
    const body: unknown = text === "" ? {} : JSON.parse(text);
    onBody(typeof body === "object" && body !== null ? { ...body } : {});
  });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
