import type { en, Texts } from "../en/index.ts";
import { agent } from "./agent.ts";
import { agentCases } from "./agent-cases.ts";
import { appointments } from "./appointments.ts";
import { calendars } from "./calendars.ts";
import { channels } from "./channels.ts";
import { connecting } from "./connecting.ts";
import { contacts } from "./contacts.ts";
import { dates } from "./dates.ts";
import { inbound } from "./inbound.ts";
import { exporting } from "./exports.ts";
import { find } from "./find.ts";
import { first } from "./first.ts";
import { imports } from "./imports.ts";
import { importReasons } from "./import-reasons.ts";
import { keys } from "./keys.ts";
import { knowledge } from "./knowledge.ts";
import { media } from "./media.ts";
import { notices } from "./notices.ts";
import { optionMessage } from "./option-message.ts";
import { people } from "./people.ts";
import { pipelines } from "./pipelines.ts";
import { refusals } from "./refusals.ts";
import { settings } from "./settings.ts";
import { templateData } from "./template-data.ts";
import { templateFile } from "./template-file.ts";
import { timeline } from "./timeline.ts";
import { webChat } from "./web-chat.ts";
import { webhooks } from "./webhooks.ts";

/** Every Spanish text: neutral, of Mexico, with tú. */
export const es: Texts<typeof en> = {
  ...first,
  ...agent,
  ...agentCases,
  ...knowledge,
  ...calendars,
  ...channels,
  ...connecting,
  ...contacts,
  ...dates,
  ...exporting,
  ...find,
  ...templateData,
  ...timeline,
  ...people,
  ...pipelines,
  ...appointments,
  ...webChat,
  ...webhooks,
  ...inbound,
  ...keys,
  ...media,
  ...notices,
  ...optionMessage,
  ...settings,
  imports: { ...imports.imports, ...importReasons },
  ...templateFile,
  error: { ...first.error, ...refusals.error },
  invalid: { ...first.invalid, ...refusals.invalid },
};
