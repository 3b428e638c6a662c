import { parseArgs } from "node:util";
import { startCalendlyStandIn } from "./calendly-server.ts";

const help = `Speaks as Calendly does, without an account there.

Usage: npm run stand-in:calendly

  --port N   port to listen on (4040)
  --help     print this

Set CALENDLY_API_URL to the printed address, then connect with one of the tokens
owner-token, member-token or legacy-token. For its OAuth app, set CALENDLY_AUTH_URL to the same
address, and the printed client id, secret and signing key.

Controls take JSON by POST:
  /control/book {"start_time":"2030-03-05T16:00:00Z"}    a customer books
  /control/cancel {"invitee_id":"…"}                     and cancels
  /control/reschedule {"invitee_id":"…","start_time":"…","first":"created"}
  /control/no-show {"invitee_id":"…","no_show":true}
  /control/reassign {"invitee_id":"…","host_ids":["MEMBER"]}
  /control/google-copy {"event_id":"…","google_id":"…"}
  /control/hold, /control/release {"copies":10,"reversed":true,"agoSeconds":600}, /control/drop
  /control/disable, /control/plan {"webhooks":false}
  /control/token {"token":"…","user_id":"OWNER","scopes":["users:read"]}
  /control/expire, /control/end-grants                   access tokens of the app, its grants
  /control/fault {"kind":"quota","status":429,"resetSeconds":30,"left":1}
GET /control/state shows everything.`;

const options = {
  port: { type: "string", default: "4040" },
  help: { type: "boolean", default: false },
} as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) return console.log(help);
  if (!/^\d{1,5}$/u.test(values.port)) throw new Error("--port takes a whole number.");
  const standIn = await startCalendlyStandIn(Number(values.port));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(0));
  const lines = Object.entries(standIn.settings).map(([name, value]) => `  ${name}=${value}`);
  console.log(`Set these, and stop it with Ctrl-C:\n${lines.join("\n")}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
