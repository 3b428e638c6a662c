import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** One request as it arrived. */
export interface Posted {
  path: string;
  headers: IncomingHttpHeaders;
  /** The raw bytes. */
  body: Buffer;
  /** `performance.now()` when the body was complete. */
  at: number;
}

/** A receiver on a real port that keeps everything it gets. */
export interface Sink {
  url: string;
  port: number;
  posts: Posted[];
  /** How it answers from now on; 204 at first. */
  answer: (posted: Posted, response: ServerResponse) => void;
  stop(): Promise<void>;
}

/** Starts a sink on the given port, or a free one. */
export async function startSink(port = 0): Promise<Sink> {
  const sockets = new Set<Socket>();
  const posts: Posted[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const posted = {
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks),
        at: performance.now(),
      };
      posts.push(posted);
      sink.answer(posted, response);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  const sink: Sink = {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    posts,
    answer: (_, response) => void response.writeHead(204).end(),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return sink;
}
