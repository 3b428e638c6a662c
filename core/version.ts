import { readFileSync } from "node:fs";
import { z } from "zod";

const manifest: unknown = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);

const parsed = z
  .object({ version: z.string(), dependencies: z.object({ "@temporalio/worker": z.string() }) })
  .parse(manifest);

/** The version of this installation, as package.json says it. */
export const { version } = parsed;

/** The version of Temporal's SDK that its workers run with: dependencies are pinned. */
export const temporalSdkVersion = parsed.dependencies["@temporalio/worker"];
