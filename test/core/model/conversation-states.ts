import type {
  ConversationState,
  ConversationStatus,
  ConversationTrigger,
} from "../../../core/model/conversation.ts";

/** What can happen to a conversation, by the name that the table has for it. */
export const stateTriggers: Record<string, ConversationTrigger> = {
  "bot on": { type: "bot", enabled: true },
  "bot off": { type: "bot", enabled: false },
  "to active": { type: "status", status: "active" },
  "to waiting": { type: "status", status: "waiting" },
  "to resolved": { type: "status", status: "resolved" },
  reopen: { type: "reopen" },
  "customer, bot by default": { type: "customer_wrote", botDefault: true },
  "customer, no bot by default": { type: "customer_wrote", botDefault: false },
};

/**
 * Status and flag after each trigger, and what follows: `s` status changed, `c` closed, `b` flag
 * changed, `h` handoff started, `e` handoff ended, `+` the epoch grows. `=`: nothing at all.
 */
const table: Record<string, Record<keyof typeof stateTriggers, string>> = {
  "active on": {
    "bot on": "=",
    "bot off": "handed_off off sbh+",
    "to active": "=",
    "to waiting": "waiting on s",
    "to resolved": "resolved on sc",
    reopen: "=",
    "customer, bot by default": "=",
    "customer, no bot by default": "=",
  },
  "active off": {
    "bot on": "active on b+",
    "bot off": "handed_off off sh+",
    "to active": "=",
    "to waiting": "waiting off s",
    "to resolved": "resolved off sc",
    reopen: "=",
    "customer, bot by default": "=",
    "customer, no bot by default": "=",
  },
  "waiting on": {
    "bot on": "=",
    "bot off": "handed_off off sbh+",
    "to active": "active on s",
    "to waiting": "=",
    "to resolved": "resolved on sc",
    reopen: "active on s",
    "customer, bot by default": "active on s",
    "customer, no bot by default": "active on s",
  },
  "waiting off": {
    "bot on": "waiting on b+",
    "bot off": "handed_off off sh+",
    "to active": "active off s",
    "to waiting": "=",
    "to resolved": "resolved off sc",
    reopen: "active off s",
    "customer, bot by default": "active off s",
    "customer, no bot by default": "active off s",
  },
  "resolved on": {
    "bot on": "=",
    "bot off": "handed_off off sbh+",
    "to active": "active on s",
    "to waiting": "waiting on s",
    "to resolved": "=",
    reopen: "active on s",
    "customer, bot by default": "active on s",
    "customer, no bot by default": "active on s",
  },
  "resolved off": {
    "bot on": "resolved on b+",
    "bot off": "handed_off off sh+",
    "to active": "active off s",
    "to waiting": "waiting off s",
    "to resolved": "=",
    reopen: "active off s",
    "customer, bot by default": "active on sb+",
    "customer, no bot by default": "active off s",
  },
  "handed_off off": {
    "bot on": "active on sbe+",
    "bot off": "=",
    "to active": "active off se",
    "to waiting": "waiting off se",
    "to resolved": "resolved off sce",
    reopen: "=",
    "customer, bot by default": "=",
    "customer, no bot by default": "=",
  },
  // No trigger leads here; from here every way leads out or stays.
  "handed_off on": {
    "bot on": "active on se",
    "bot off": "handed_off off b+",
    "to active": "active on se",
    "to waiting": "waiting on se",
    "to resolved": "resolved on sce",
    reopen: "=",
    "customer, bot by default": "=",
    "customer, no bot by default": "=",
  },
};

/** One cell of the table. */
export interface StateCase {
  from: string;
  name: string;
  trigger: ConversationTrigger;
  expected: string;
}

/** The state table of conversations, cell by cell. */
export const stateCases: StateCase[] = Object.entries(table).flatMap(([from, row]) =>
  Object.entries(stateTriggers).map(([name, trigger]) => ({
    from,
    name,
    trigger,
    expected: row[name] ?? "missing",
  })),
);

/** `waiting on` as status and flag. */
export function stateOf(text: string): ConversationState {
  const [status, flag] = text.split(" ");
  return { status: status as ConversationStatus, botEnabled: flag === "on" };
}

/** Status and flag after a case, and the marks of what follows. */
export function outcomeOf({ from, expected }: StateCase): {
  next: ConversationState;
  marks: string;
} {
  if (expected === "=") return { next: stateOf(from), marks: "" };
  return { next: stateOf(expected), marks: expected.split(" ")[2] ?? "" };
}
