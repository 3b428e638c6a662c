import { calendlySettings } from "../stand-in/calendly-world.ts";
import { googleClient } from "../stand-in/google-world.ts";
import type { UpState } from "./up-state.ts";

/** A server that stands for another company's, and starts with `--stand-ins`. */
export interface StandIn {
  /** Its key in `up.json`. */
  key: string;
  /** Name of the process, of its log and of its file in `run/`. */
  name: string;
  /** Setting of its port, and the port without it. */
  portSetting: "STAND_IN_PORT" | "GOOGLE_STAND_IN_PORT" | "CALENDLY_STAND_IN_PORT";
  port: number;
  /** Row of the terminal: name, and words behind the address. */
  row: readonly [name: string, words: string];
  /** The setting of the API and the worker that points there; refused where somebody has set it. */
  settings(this: void, url: string): Record<string, string>;
  /** TypeScript file below the repository, and its arguments. */
  program(this: void, port: number, state: UpState): string[];
  /** Environment of the process: none of our settings. */
  env(this: void, state: UpState): Record<string, string>;
  /** @returns true once its `/control/state` shows that it can be used */
  isReady(this: void, controlState: { connected?: unknown }): boolean;
}

/** Every stand-in. A further one needs an entry here, and its port in `up-settings.ts`. */
export const standIns: readonly StandIn[] = [
  {
    key: "meta",
    name: "stand-in-meta",
    portSetting: "STAND_IN_PORT",
    port: 4_020,
    row: ["Customers", "(write as one, with pictures)"],
    settings: (url) => ({ META_GRAPH_URL: url, META_INSTAGRAM_URL: url }),
    program: (port, { apiUrl, admin }) => [
      "dev/stand-in/meta.ts",
      "--port",
      String(port),
      "--parley",
      apiUrl,
      "--email",
      admin?.email ?? "",
    ],
    // A command line is readable to everybody on this machine, so it has no password.
    env: ({ admin }) => ({ PARLEY_PASSWORD: admin?.password ?? "" }),
    // It connects the channels once the API answers.
    isReady: ({ connected }) => connected === true,
  },
  {
    key: "google",
    name: "stand-in-google",
    portSetting: "GOOGLE_STAND_IN_PORT",
    port: 4_030,
    row: ["Google", "(calendars to connect, and their events)"],
    settings: (url) => ({
      GOOGLE_API_URL: url,
      GOOGLE_TOKEN_URL: `${url}/token`,
      GOOGLE_AUTH_URL: `${url}/o/oauth2/v2/auth`,
      GOOGLE_CLIENT_ID: googleClient.id,
      GOOGLE_CLIENT_SECRET: googleClient.secret,
    }),
    program: (port) => ["dev/stand-in/google.ts", "--port", String(port)],
    env: () => ({}),
    isReady: () => true,
  },
  {
    key: "calendly",
    name: "stand-in-calendly",
    portSetting: "CALENDLY_STAND_IN_PORT",
    port: 4_040,
    row: [
      "Calendly",
      "(sign in there, or connect with the token owner-token; book by POST /control/book)",
    ],
    settings: calendlySettings,
    program: (port) => ["dev/stand-in/calendly.ts", "--port", String(port)],
    env: () => ({}),
    isReady: () => true,
  },
];

/** Settings of the API and the worker that point to the stand-ins. */
export function standInSettings(urls: UpState["standIns"]): Record<string, string> {
  const settings = standIns.map(({ key, settings: settingsAt }) => {
    const url = urls[key];
    return url === undefined ? {} : settingsAt(url);
  });
  return Object.assign({}, ...settings) as Record<string, string>;
}
