import type { en, Texts } from "../en/index.ts";
import { appointments } from "./appointments.ts";
import { common } from "./common.ts";
import { contacts } from "./contacts.ts";
import { inbox } from "./inbox.ts";
import { keys } from "./keys.ts";
import { people } from "./people.ts";
import { pipelines } from "./pipelines.ts";
import { shell } from "./shell.ts";
import { webhooks } from "./webhooks.ts";

/** Every Spanish text: neutral, of Mexico, with tú. */
export const es: Texts<typeof en> = {
  ...common,
  ...shell,
  ...people,
  ...inbox,
  ...contacts,
  ...pipelines,
  ...appointments,
  ...webhooks,
  ...keys,
};
