import type { Inspector, Verdict } from "./tcp-proxy.ts";

/**
 * Fate of a COMMIT, or of a write outside of a transaction. `before`: the server never receives it.
 * `after`: it commits, and the answer is lost.
 */
export type CommitFate = "pass" | "before" | "after";

/** Selects a COMMIT, and runs `act` just before its connection is cut. */
export interface CommitTrap {
  /** A part of the text of some statement in the transaction. */
  of: string;
  when: "before" | "after";
  /** Number of the matching COMMIT, by default 1. */
  nth?: number;
  act?: () => void;
}

/** Follows the statements of clients through a proxy and cuts some of their COMMITs. */
export interface MysqlWatch {
  inspect: () => Inspector;
  /** @returns a promise that resolves when the trap has sprung, once */
  trapCommit(trap: CommitTrap): Promise<void>;
  /** Sets the function that decides the fate of every COMMIT without a trap. */
  decide(fate: (transaction: string) => CommitFate): void;
  /** Number of transactions whose COMMIT was cut, before or after it. */
  cuts(): number;
}

type SetTrap = CommitTrap & { left: number; sprung: () => void };

/** Creates the inspector of a proxy in front of a MySQL. */
export function createMysqlWatch(): MysqlWatch {
  const traps: SetTrap[] = [];
  let decideFate: (transaction: string) => CommitFate = () => "pass";
  let cuts = 0;

  function judgeCommit(transaction: string): CommitFate {
    const trap = traps.find(({ of }) => transaction.includes(of));
    if (trap === undefined) return decideFate(transaction);
    trap.left -= 1;
    return trap.left > 0 ? "pass" : trap.when;
  }

  function spring(transaction: string): void {
    cuts += 1;
    const index = traps.findIndex(({ of, left }) => left <= 0 && transaction.includes(of));
    if (index === -1) return;
    const [trap] = traps.splice(index, 1);
    trap?.act?.();
    trap?.sprung();
  }

  return {
    inspect: () => followConnection(judgeCommit, spring),
    trapCommit: (trap) =>
      new Promise((sprung) => void traps.push({ ...trap, left: trap.nth ?? 1, sprung })),
    decide(fate) {
      decideFate = fate;
    },
    cuts: () => cuts,
  };
}

function followConnection(
  judgeCommit: (transaction: string) => CommitFate,
  spring: (transaction: string) => void,
): Inspector {
  let transaction = "";
  let open = false;
  let fate: CommitFate = "pass";
  const read = createStatementReader((statement) => {
    if (statement === "START TRANSACTION") {
      transaction = "";
      open = true;
    } else if (open && statement !== "COMMIT") {
      transaction += `${statement}\n`;
      if (statement === "ROLLBACK") open = false;
    } else if (open || writes.test(statement)) {
      // A single write statement is its own transaction.
      if (!open) transaction = statement;
      open = false;
      fate = judgeCommit(transaction);
    }
  });
  const verdictAt = (moment: CommitFate): Verdict => {
    if (fate !== moment) return "pass";
    fate = "pass";
    spring(transaction);
    return "cut";
  };
  return {
    fromClient(chunk) {
      read(chunk);
      return verdictAt("before");
    },
    fromServer: () => verdictAt("after"),
  };
}

const writes = /^\s*(INSERT|UPDATE|DELETE)/;

const headerBytes = 4;
const commandQuery = 3;
/** With query attributes, a query begins with their counts: no attributes, one set. */
// oxlint-disable-next-line no-control-regex -- the bytes 0 and 1 are intended
const noAttributes = /^\0\x01/;

/**
 * Reads statements from the bytes of a client, in chunks of any size. A packet has three parts: a
 * length in three bytes, a sequence number, and the command's code. The sequence number is 0 for a
 * new command. See "MySQL Packets" and "COM_QUERY" in MySQL's manual. The driver sends its
 * transactions as COM_QUERY.
 */
function createStatementReader(onStatement: (statement: string) => void) {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk: Buffer): void => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= headerBytes) {
      const end = headerBytes + rest.readUIntLE(0, 3);
      if (rest.length < end) return;
      const isQuery = rest[3] === 0 && rest[headerBytes] === commandQuery;
      if (isQuery)
        onStatement(rest.toString("utf8", headerBytes + 1, end).replace(noAttributes, ""));
      rest = rest.subarray(end);
    }
  };
}
