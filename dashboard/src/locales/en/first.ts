import { answers } from "./answers.ts";
import { common } from "./common.ts";
import { inbox } from "./inbox.ts";
import { login } from "./login.ts";
import { shell } from "./shell.ts";

/** The English texts that the login, the frame around every page and the inbox need. */
export const first = { ...common, ...shell, ...login, ...inbox, ...answers };
