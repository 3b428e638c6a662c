import { once } from "node:events";
import { startTestServers } from "./servers.ts";

// Given servers would start nothing here.
delete process.env["DATABASE_URL_TEST"];
delete process.env["TEMPORAL_ADDRESS_TEST"];

const { provided, stop } = await startTestServers(new Set(["mysqlUrl", "temporalAddress"]));
process.stdout.write(`
export DATABASE_URL_TEST=${provided.mysqlUrl}
export TEMPORAL_ADDRESS_TEST=${provided.temporalAddress}
`);
await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
await stop();
