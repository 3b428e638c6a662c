import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { PostLine } from "./ledger.ts";

/** Behaviour of a path. `seen` counts the posts of this event at this path, from 1. */
export type Behaviour = (exchange: { response: ServerResponse; seen: number }) => void;

/** A receiver that stores every post and behaves per path. */
export interface Sink {
  port: number;
  posts: PostLine[];
  /** Paths without a behaviour answer 204. */
  behave(path: string, behaviour: Behaviour): void;
  /** Number of open connections. */
  connections(): number;
  stop(): Promise<void>;
}

/** Starts a sink on 127.0.0.1. */
export async function startSink(): Promise<Sink> {
  const sockets = new Set<Socket>();
  const posts: PostLine[] = [];
  const counts = new Map<string, number>();
  const behaviours = new Map<string, Behaviour>();
  const server = createServer((request, response) => {
    void receive(request, posts).then((post) => {
      const pair = `${post.path} ${String(post.headers["x-service-event-id"])}`;
      const seen = (counts.get(pair) ?? 0) + 1;
      counts.set(pair, seen);
      noteStatus(response, post);
      const behave = behaviours.get(post.path) ?? answer(204);
      behave({ response, seen });
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    posts,
    behave: (path, behaviour) => void behaviours.set(path, behaviour),
    connections: () => sockets.size,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Answers every post with this status. */
export function answer(status: number, headers: Record<string, string> = {}): Behaviour {
  return ({ response }) => void response.writeHead(status, headers).end();
}

/** Fails the first `times` posts of each event. */
export function failFirst(times: number): Behaviour {
  return ({ response, seen }) => void response.writeHead(seen <= times ? 500 : 204).end();
}

/** Reads a post to its end and stores it. An incomplete post is not stored. */
async function receive(request: IncomingMessage, posts: PostLine[]): Promise<PostLine> {
  return await new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => {
      const post = {
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks),
        at: performance.now(),
        status: null,
      };
      posts.push(post);
      resolve(post);
    });
  });
}

/** Records the status when the head is written. A body that breaks off later does not change it. */
function noteStatus(response: ServerResponse, post: PostLine): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = ((...args: Parameters<typeof writeHead>) => {
    post.status = Number(args[0]);
    return writeHead(...args);
  }) as typeof response.writeHead;
}
