import { join } from "node:path";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDownload, type DownloadRequest } from "../../../activities/media/download.ts";
import { createSpool, type Spool } from "../../../core/media/spool.ts";
import { createMediaFolder, listFiles } from "../../support/media.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { answers } from "../http/fixture.ts";

const folder = useFixture(createMediaFolder);
const production = { allowPrivate: false, ownHosts: [] };
const development = { allowPrivate: true, ownHosts: [] };
let server: Server;
let base: string;
let spool: Spool;
const requests: IncomingMessage[] = [];

beforeAll(async () => {
  spool = createSpool(join(folder.folder, "spool"));
  server = createServer((request, response) => {
    requests.push(request);
    const [, path = "", target = ""] = /^\/(\w+)(?:\?to=(.*))?$/u.exec(request.url ?? "") ?? [];
    if (path === "moved") response.writeHead(302, { location: decodeURIComponent(target) }).end();
    else if (path === "circle") response.writeHead(302, { location: "/circle" }).end();
    else response.writeHead(200).end("bytes");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const plain: Omit<DownloadRequest, "url"> = {
  name: "a",
  token: null,
  from: "any",
  maxBytes: 1_000,
};

test("production refuses private addresses, also behind a redirect and a name", async () => {
  const graphUrl = "https://graph.facebook.com";
  const download = createDownload({ graphUrl, spool, policy: production });
  for (const url of [`${base}/file`, "https://10.0.0.1/x", "https://localhost/x"]) {
    expect(await download({ ...plain, url })).toEqual({ file: null, fault: "foreign_host" });
  }
  const resolver = answers(["10.0.0.1"]);
  const named = createDownload({ graphUrl, spool, policy: production, resolver });
  const url = "https://scontent.fbcdn.net/x";
  // A name that leads to a private address reads like a name without one.
  expect(await named({ ...plain, from: "network", url })).toEqual({
    file: null,
    fault: "unreachable",
  });
  expect(resolver.lookups).toBe(1);
});

test("a redirect from the operator's own Graph API meets the guard", async () => {
  const download = createDownload({ graphUrl: base, spool, policy: production });
  for (const target of ["http://127.0.0.1:9/", "https://10.0.0.1/", "file:///etc/passwd"]) {
    const url = `${base}/moved?to=${encodeURIComponent(target)}`;
    const from = "network";
    expect(await download({ ...plain, from, url })).toEqual({
      file: null,
      fault: "foreign_host",
    });
  }
});

test("the token goes to the Graph API, and not to another host behind a redirect", async () => {
  const download = createDownload({ graphUrl: base, spool, policy: development });
  const other = createServer((request, response) => {
    requests.push(request);
    response.end("bytes");
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const target = `http://127.0.0.1:${(other.address() as AddressInfo).port}/x`;
  requests.length = 0;
  const url = `${base}/moved?to=${encodeURIComponent(target)}`;
  const { file } = await download({ ...plain, token: "secret", url });
  other.close();
  expect(file?.size).toBe(5);
  await file?.remove();
  const sent = requests.map(({ headers }) => headers.authorization);
  expect(sent).toEqual(["Bearer secret", undefined]);
});

test("redirects without an end, and files above the limit, leave nothing", async () => {
  const download = createDownload({ graphUrl: base, spool, policy: development });
  const circle = await download({ ...plain, url: `${base}/circle` });
  expect(circle).toEqual({ file: null, fault: "foreign_host" });
  const large = await download({ ...plain, url: `${base}/file`, maxBytes: 4 });
  expect(large).toEqual({ file: null, fault: "too_large" });
  expect(await listFiles(folder.folder)).toEqual([]);
});

test("a process that stops ends its downloads", async () => {
  const stopping = new AbortController();
  const download = createDownload({
    graphUrl: base,
    spool,
    policy: development,
    stopping: stopping.signal,
  });
  stopping.abort();
  const url = `${base}/file`;
  expect(await download({ ...plain, url })).toEqual({ file: null, fault: "unreachable" });
});
