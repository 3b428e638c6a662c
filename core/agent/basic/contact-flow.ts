import { parseEmail } from "../../model/contact.ts";
import {
  ask,
  callTool,
  close,
  handOff,
  textsOf,
  type FlowRun,
  type FlowTurn,
} from "./flow-turn.ts";

/** Stores a name or an email that the customer gives. */
export function* storeContactData(turn: FlowTurn): FlowRun {
  const { context, reading } = turn;
  const t = textsOf(turn);
  if (!context.tools.includes("update_contact")) return yield* handOff(turn, "unsupported");
  const { email, name } = reading;
  if (email !== null && parseEmail(email) === null) return ask(turn, "email", t.wrongEmail);
  if (email === null && name === null) {
    const wantsName = reading.words.some(({ text }) =>
      ["nombre", "name", "apellido"].includes(text),
    );
    return ask(turn, wantsName ? "name" : "email", wantsName ? t.askName : t.askEmail);
  }
  const result = yield* callTool(turn, "update_contact", {
    ...(name === null ? {} : { name }),
    ...(email === null ? {} : { email }),
  });
  return result.ok ? close(t.noted) : yield* handOff(turn, "refused");
}
