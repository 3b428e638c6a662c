import { parseArgs } from "node:util";
import { metaAccounts, type MetaApp } from "./meta-accounts.ts";
import { callbackUrl, connectToParley, waitForParley } from "./meta-connect.ts";
import { drawPicture } from "./meta-picture.ts";
import { metaScripts } from "./meta-scripts.ts";
import { startMetaStandIn } from "./meta-server.ts";
import type { MetaCallback } from "./meta-webhooks.ts";

const help = `Speaks as Meta does: WhatsApp, Messenger and Instagram without an account at Meta.

Usage: npm run stand-in:meta -- --email ada@example.com --password …
       npm run stand-in:meta -- --slug … --secret …

  --email E --password P   connect everything through the Dashboard, as an admin;
                           npm start prints the login of the demo account.
                           PARLEY_PASSWORD may hold the password
  --slug S                 slug of an app that is connected already
  --secret S               secret of the app (stand-in-app-secret)
  --verify-token T         its verify token, for the handshake
  --app-id N               id of the app (1234567890)
  --parley URL             where Parley listens (http://localhost:3000)
  --port N                 port to listen on (4020)
  --help                   print this

Without a slug and a login, webhooks wait until Parley subscribes.
The page at the printed address writes as a customer, and shows what Parley sent.
The Graph API is at the same address, such as http://127.0.0.1:4020/v26.0.

Numbers, Pages and accounts:
${metaAccounts.map(({ driver, id, parentId, token }) => `  ${driver} ${id}, parent ${parentId}, token ${token}`).join("\n")}

Scripts of sending, by POST /control/script {"name":"pair_limit","times":2}:
${Object.entries(metaScripts)
  .map(([name, { about }]) => `  ${name.padEnd(18)} ${about}`)
  .join("\n")}

POST /control/messages {"network":"whatsapp","kind":"text","text":"Hola"} writes.
POST /control/hold, then /control/release {"perWebhook":3,"copies":2,"reversed":true},
sends webhooks regrouped, repeated and out of order. GET /control/state shows everything.`;

const options = {
  email: { type: "string" },
  password: { type: "string" },
  slug: { type: "string" },
  secret: { type: "string", default: "stand-in-app-secret" },
  "verify-token": { type: "string", default: "" },
  "app-id": { type: "string", default: "1234567890" },
  parley: { type: "string", default: "http://localhost:3000" },
  port: { type: "string", default: "4020" },
  help: { type: "boolean", default: false },
} as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) return console.log(help);
  if (!/^\d{1,5}$/u.test(values.port)) throw new Error("--port takes a whole number.");
  if (!/^\d{1,32}$/u.test(values["app-id"])) throw new Error("--app-id takes digits.");
  const app = { id: values["app-id"], secret: values.secret };
  // Parley checks the accounts while they are connected, so the stand-in answers before that.
  const standIn = await startMetaStandIn({
    app,
    port: Number(values.port),
    statusMs: 700,
    picture: drawPicture(),
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(0));
  const callback = await findCallback(values, app);
  if (callback !== null) standIn.connectTo(callback);
  console.log(`Write as a customer at ${standIn.url}; stop it with Ctrl-C.`);
  if (callback === null) console.log("Webhooks wait until Parley subscribes.");
  if (callback !== null && callback.verifyToken !== "") {
    const problem = await standIn.verify();
    console.log(problem === null ? "The handshake succeeded." : `The handshake failed: ${problem}`);
  }
}

async function findCallback(
  values: {
    email?: string | undefined;
    password?: string | undefined;
    slug?: string | undefined;
    parley: string;
    "verify-token": string;
  },
  app: MetaApp,
): Promise<MetaCallback | null> {
  const parleyUrl = values.parley.replace(/\/$/u, "");
  const { email, slug } = values;
  const password = values.password ?? process.env["PARLEY_PASSWORD"];
  if (slug !== undefined)
    return { url: callbackUrl(parleyUrl, slug), verifyToken: values["verify-token"] };
  if (email === undefined && password === undefined) return null;
  if (email === undefined || password === undefined)
    throw new Error("--email and --password go together.");
  await waitForParley(parleyUrl);
  return await connectToParley({ parleyUrl, email, password }, app, metaAccounts);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
