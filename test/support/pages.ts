import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ReadPage } from "../../activities/pages/page-reader.ts";

/** For work that has to do with no page: every one is unreachable. */
export const noPages: ReadPage = async () => await Promise.resolve("unreachable");

/** A server of one HTML page, whose body a test changes. */
export interface PageServer {
  url: string;
  body: string;
  status: number;
  close(): Promise<void>;
}

/** Starts a server of one page on the loopback address. */
export async function startPageServer(body: string): Promise<PageServer> {
  const server = createServer((_, response) => {
    response.writeHead(page.status, { "content-type": "text/html; charset=utf-8" });
    response.end(page.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const page: PageServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/faq`,
    body,
    status: 200,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return page;
}
