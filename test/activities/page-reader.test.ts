import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPageReader } from "../../activities/pages/page-reader.ts";

const mebibyte = 1_024 * 1_024;
const html = { "content-type": "text/html; charset=utf-8" };
const faq = "<h2>¿Abren?</h2><p>Sí.</p>";
const pairs = [{ question: "¿Abren?", answer: "Sí." }];

/** Answers by path. */
const answers: Record<string, RequestListener> = {
  "/page": (_, response) => void response.writeHead(200, html).end(faq),
  "/latin": (_, response) =>
    void response
      .writeHead(200, { "content-type": "text/html" })
      .end(Buffer.from(`<head><meta charset="iso-8859-1"></head>${faq}`, "latin1")),
  "/text": (_, response) =>
    void response.writeHead(200, { "content-type": "text/plain" }).end("¿Abren?\nSí."),
  "/moved": (_, response) => void response.writeHead(302, { location: "/page" }).end(),
  "/circle": (_, response) => void response.writeHead(302, { location: "/circle" }).end(),
  "/to-metadata": (_, response) =>
    void response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
  "/to-file": (_, response) =>
    void response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/huge": (_, response) => void response.writeHead(200, html).end("x".repeat(2 * mebibyte + 1)),
  "/slow": (_, response) => {
    response.writeHead(200, html);
    const timer = setInterval(() => response.write("<p>x</p>"), 50);
    response.on("close", () => clearInterval(timer));
  },
  "/image": (_, response) => void response.writeHead(200, { "content-type": "image/png" }).end("x"),
  "/deep": (_, response) => void response.writeHead(200, html).end("<b>".repeat(100_000)),
  "/packed": (_, response) =>
    void response.writeHead(200, { ...html, "content-encoding": "gzip" }).end("x"),
  "/private": (_, response) => void response.writeHead(401).end(),
  "/broken": (_, response) => void response.writeHead(500).end(),
  "/cut": (_, response) => {
    response.writeHead(200, { ...html, "content-length": "100" });
    response.write("<p>");
    setTimeout(() => response.destroy(), 20);
  },
};

let server: Server;
let base: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = answers[request.url ?? ""];
    if (answer === undefined) response.writeHead(404, html).end(faq);
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const policy = { allowPrivate: true, ownHosts: [] };
const read = createPageReader({ policy, timeoutMs: 1_000 });

test.each(["/page", "/latin", "/text", "/moved"])("a page is read: %s", async (path) => {
  expect(await read(`${base}${path}`)).toEqual(pairs);
});

test.each([
  ["/gone", "not_found"],
  ["/private", "forbidden"],
  ["/broken", "server_error"],
  ["/circle", "too_many_redirects"],
  ["/to-metadata", "refused_address"],
  ["/to-file", "refused_address"],
  ["/huge", "too_big"],
  ["/slow", "too_slow"],
  ["/image", "not_a_page"],
  ["/deep", "not_a_page"],
  ["/packed", "not_a_page"],
  ["/cut", "unreachable"],
])("a page that is none says why: %s", async (path, code) => {
  expect(await read(`${base}${path}`)).toBe(code);
});

test("production refuses private addresses, also behind a redirect", async () => {
  const guarded = createPageReader({ policy: { allowPrivate: false, ownHosts: [] } });
  expect(await guarded(`${base}/page`)).toBe("refused_address");
  expect(await guarded("https://10.0.0.8/")).toBe("refused_address");
  expect(await guarded("https://localhost/")).toBe("refused_address");
});

test("our own public address is no page", async () => {
  const own = createPageReader({ policy: { ...policy, ownHosts: [new URL(base).host] } });
  expect(await own(`${base}/page`)).toBe("refused_address");
});

test("a server that is not there is unreachable", async () => {
  expect(await read("http://127.0.0.1:9/")).toBe("unreachable");
});
