import { appointments } from "./appointments.ts";
import { common } from "./common.ts";
import { contacts } from "./contacts.ts";
import { inbox } from "./inbox.ts";
import { keys } from "./keys.ts";
import { people } from "./people.ts";
import { pipelines } from "./pipelines.ts";
import { shell } from "./shell.ts";
import { webhooks } from "./webhooks.ts";

/** Every English text; the other languages have exactly these keys. */
export const en = {
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

/** The same keys with texts of another language. */
export type Texts<Tree> = {
  [Key in keyof Tree]: Tree[Key] extends string ? string : Texts<Tree[Key]>;
};
