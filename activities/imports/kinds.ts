import { chatWork } from "./chat-work.ts";
import { contactWork } from "./contact-work.ts";
import type { ImportWorks } from "./import-work.ts";

/** The work of each kind, as a worker does it. */
export const importWorks: ImportWorks = { chat: chatWork, contacts: contactWork };
