#!/usr/bin/env node
// The `parley` command. It is plain JavaScript, so that it can also run before anything is built.
import { existsSync } from "node:fs";
import module from "node:module";

const built = new URL("../dist/cli.js", import.meta.url);

if (existsSync(built)) {
  // Stack traces then name the TypeScript sources. Node 20 also reads the source maps of all packages.
  if (module.setSourceMapsSupport) module.setSourceMapsSupport(true, { nodeModules: false });
  else process.setSourceMapsEnabled(true);
  await import(built.href);
} else {
  process.stderr.write("dist/ is missing. Run npm run build first.\n");
  process.exitCode = 1;
}
