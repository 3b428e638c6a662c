import { join } from "node:path";
import { repositoryRoot } from "../local.ts";
import { runCommand } from "../run-command.ts";

/**
 * Runs Vite in its own process, so that libraries are built for production whatever our NODE_ENV is.
 * @param root folder of the sources, with a `vite.config.ts`
 * @param outDir folder in `root` for the result
 */
export async function runVite(root: string, outDir: string): Promise<void> {
  const vite = join(repositoryRoot, "node_modules", "vite", "bin", "vite.js");
  const args = ["build", root, "--outDir", outDir, "--logLevel", "warn"];
  await runCommand(process.execPath, [vite, ...args], {
    cwd: repositoryRoot,
    env: { ...process.env, NODE_ENV: "production" },
  });
}
