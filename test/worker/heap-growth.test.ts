import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/**
 * Keeps some 50 MB of objects in use, each of which is replaced once it has got old, until ten times
 * as much has become garbage. Prints the most bytes of old objects, garbage with them.
 */
function churn(begin: string): string {
  return `
    import { getHeapSpaceStatistics } from "node:v8";
    import { limitHeapGrowth } from "./worker/heap-growth.ts";

    ${begin};
    const inUse = 250_000;
    const ring = [];
    const put = (n) => (ring[n % inUse] = { n, parts: [n, n + 1, n + 2, { n }], text: "row " + n });
    const old = () => getHeapSpaceStatistics().find((one) => one.space_name === "old_space");
    let most = 0;
    for (let n = 0; n < 10 * inUse; n += 1) {
      put(n);
      if (n % 1_000 === 0) most = Math.max(most, old().space_used_size);
    }
    process.stdout.write(String(most));
  `;
}

async function mostOldBytes(code: string): Promise<number> {
  // A limit of its own, because V8's default follows the memory of the machine.
  const options = ["--max-old-space-size=4096", "--input-type=module", "--import", "tsx/esm"];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, "-e", code]);
  return Number(stdout);
}

test("a heap whose objects get old holds less garbage with the limit of a worker", async () => {
  const limited = await mostOldBytes(churn("limitHeapGrowth()"));
  const unlimited = await mostOldBytes(churn(""));
  // Half of it on Node 20, and six tenths on Node 24.
  expect(limited).toBeLessThan(0.8 * unlimited);
});
