import { parseArgs } from "node:util";
import { scripts } from "./model-scripts.ts";
import { startModelStandIn } from "./model-server.ts";

const help = `Answers as providers of language models do. The name of the model chooses the behaviour.

Usage: npm run stand-in:model -- [options]

  --port N       port to listen on (4010)
  --delay-ms N   wait before each answer (0)
  --show         GET /log shows contents and headers
  --help         print this

Models: ${Object.keys(scripts).join(", ")}.
GET /log shows the requests, and the moments at which clients closed connections.`;

function parseCount(name: string, text: string): number {
  if (/^\d{1,6}$/u.test(text)) return Number(text);
  throw new Error(`${name} takes a whole number.`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "4010" },
      "delay-ms": { type: "string", default: "0" },
      show: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(help);
  const standIn = await startModelStandIn({
    port: parseCount("--port", values.port),
    delayMs: parseCount("--delay-ms", values["delay-ms"]),
    show: values.show,
  });
  console.log(`The stand-in listens on ${standIn.url}/v1; stop it with Ctrl-C.`);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void standIn.close());
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
