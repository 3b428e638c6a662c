import { createSocket, type RemoteInfo } from "node:dgram";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { freePort } from "../../dev/child.ts";

/** Answer of the stub to a question; `silent` sends none. */
export type DnsReply =
  | { addresses: readonly string[]; afterMs?: number }
  | { code: "NXDOMAIN" | "SERVFAIL"; afterMs?: number }
  | "silent";

/** A question, by its record type. `asked` counts the questions of this name and type, from 1. */
export interface DnsQuestion {
  name: string;
  type: "A" | "AAAA" | "other";
  asked: number;
}

/** A DNS server on 127.0.0.1, by UDP and TCP, with configured answers. */
export interface DnsStub {
  /** `127.0.0.1:port`. */
  address: string;
  /** Questions so far, including repeated ones. */
  questions: DnsQuestion[];
  stop(): Promise<void>;
}

const responseCodes = { NXDOMAIN: 3, SERVFAIL: 2 };
const typeNames = new Map([
  [1, "A"],
  [28, "AAAA"],
] as const);
const mostUdpBytes = 512;
const headerBytes = 12;

/** Starts a stub that answers as `reply` returns, in the format of RFC 1035, section 4. */
export async function startDnsStub(reply: (question: DnsQuestion) => DnsReply): Promise<DnsStub> {
  const questions: DnsQuestion[] = [];
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const late = new Set<NodeJS.Timeout>();
  const port = await freePort();

  function take(message: Buffer, mostBytes: number, send: (answer: Buffer) => void): void {
    const { name, type, end } = readQuestion(message);
    const key = `${type} ${name}`;
    const asked = (counts.get(key) ?? 0) + 1;
    counts.set(key, asked);
    const question = { name, type, asked };
    questions.push(question);
    const said = reply(question);
    if (said === "silent") return;
    const answer = encodeAnswer(message.subarray(0, end), type, said);
    const sent = answer.length > mostBytes ? truncate(answer, end) : answer;
    const timer = setTimeout(() => {
      late.delete(timer);
      send(sent);
    }, said.afterMs ?? 0);
    late.add(timer);
  }

  const udp = createSocket("udp4", (message: Buffer, from: RemoteInfo) =>
    take(message, mostUdpBytes, (answer) =>
      udp.send(answer, from.port, from.address, () => undefined),
    ),
  );
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk: Buffer) => {
      // Questions are far smaller than a segment. One chunk may hold several questions, and no
      // question spans two chunks.
      for (let at = 0; at + 2 <= chunk.length; at += 2 + chunk.readUInt16BE(at)) {
        const message = chunk.subarray(at + 2, at + 2 + chunk.readUInt16BE(at));
        take(message, Number.POSITIVE_INFINITY, (answer) => {
          const length = Buffer.alloc(2);
          length.writeUInt16BE(answer.length);
          socket.write(Buffer.concat([length, answer]));
        });
      }
    });
  });
  await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => tcp.listen(port, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(tcp.address() as AddressInfo).port}`,
    questions,
    async stop() {
      late.forEach(clearTimeout);
      udp.close();
      const closed = new Promise<void>((resolve) => tcp.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function readQuestion(message: Buffer): { name: string; type: DnsQuestion["type"]; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = message.readUInt16BE(at + 1);
  const known = type === 1 || type === 28 ? typeNames.get(type) : undefined;
  return { name: labels.join(".").toLowerCase(), type: known ?? "other", end: at + 5 };
}

function encodeAnswer(
  question: Buffer,
  type: DnsQuestion["type"],
  reply: Exclude<DnsReply, "silent">,
): Buffer {
  // The stub knows only IPv4. Questions of other types get an empty answer.
  const addresses = "addresses" in reply && type === "A" ? reply.addresses : [];
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | ("code" in reply ? responseCodes[reply.code] : 0), 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...addresses.map(encodeAddress)]);
}

/** A record: name as a pointer to the question, type A, class IN, TTL 0 s. */
function encodeAddress(address: string): Buffer {
  const record = Buffer.from([0xc0, headerBytes, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]);
  return Buffer.concat([record, Buffer.from(address.split(".").map(Number))]);
}

/**
 * The answer without records and with the TC bit, so that the client repeats its question by TCP.
 */
function truncate(answer: Buffer, end: number): Buffer {
  const head = Buffer.from(answer.subarray(0, end));
  head.writeUInt16BE(head.readUInt16BE(2) | 0x0200, 2);
  head.writeUInt16BE(0, 6);
  return head;
}
