import { parseArgs } from "node:util";
import { googleControls } from "./google-control.ts";
import { googleFaultKinds } from "./google-faults.ts";
import { startGoogleStandIn } from "./google-server.ts";
import { googleAccounts, googleClient } from "./google-world.ts";

const help = `Speaks as Google does: consent, tokens, calendars, events and pushes without an account there.

Usage: npm run stand-in:google -- [options]

  --port N   port to listen on (4030)
  --testing  refresh tokens end after 7 days, as those of an app in "Testing"
  --rotates  each refresh gives another refresh token
  --help     print this

The page at the printed address adds, moves and deletes events as the owner of a calendar.
Parley needs the settings that are printed. "npm start -- --stand-ins" sets them itself.

Accounts: ${googleAccounts.map(({ email }) => email).join(", ")}

Controls, by POST with JSON:
${googleControls.map((path) => `  ${path}`).join("\n")}
GET /control/state and GET /control/events?calendarId=… show everything.

Faults, by POST /control/faults {"kind":"rateLimit","call":"list","times":3}:
${Object.entries(googleFaultKinds)
  .map(([kind, about]) => `  ${kind.padEnd(14)} ${about}`)
  .join("\n")}`;

const options = {
  port: { type: "string", default: "4030" },
  testing: { type: "boolean", default: false },
  rotates: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) return console.log(help);
  if (!/^\d{1,5}$/u.test(values.port)) throw new Error("--port takes a whole number.");
  const standIn = await startGoogleStandIn({
    port: Number(values.port),
    rules: { isTesting: values.testing, rotates: values.rotates },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(0));
  console.log(`Edit events as their owner at ${standIn.url}; stop it with Ctrl-C.`);
  console.log(`The client of Parley is ${googleClient.id}. Its settings:`);
  for (const [name, value] of Object.entries(standIn.settings)) console.log(`${name}=${value}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
