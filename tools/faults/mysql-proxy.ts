import { createMysqlWatch, type MysqlWatch } from "./mysql-watch.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

/** A fault proxy in front of a MySQL. It can also drop COMMITs or their answers. */
export interface MysqlProxy extends TcpProxy, Omit<MysqlWatch, "inspect"> {
  /** URL of the database with the proxy's address. */
  url: string;
}

/** Starts a proxy in front of the MySQL of `databaseUrl`. */
export async function startMysqlProxy(
  databaseUrl: string,
  random?: () => number,
): Promise<MysqlProxy> {
  const { hostname: host, port } = new URL(databaseUrl);
  const { inspect, ...watch } = createMysqlWatch();
  const target = () => ({ host, port: Number(port) });
  const proxy = await startTcpProxy({
    target,
    inspect,
    ...(random === undefined ? {} : { random }),
  });
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(proxy.port);
  return { ...proxy, ...watch, url: url.toString() };
}
