import type { Inspector, Verdict } from "./tcp-proxy.ts";

/** What happens to a COMMIT, or to a write outside of a transaction. `before`: the server never hears of it; `after`: it has committed by then. */
export type CommitFate = "pass" | "before" | "after";

/** Which COMMIT is meant, and what is done just before its connection is cut. */
export interface CommitTrap {
  /** A statement of the transaction, by a part of its text. */
  of: string;
  when: "before" | "after";
  /** The first one that fits, or a later one. */
  nth?: number;
  act?: () => void;
}

/** Follows what clients say to MySQL through a proxy, and spoils some of their COMMITs. */
export interface MysqlWatch {
  inspect: () => Inspector;
  /** @returns resolves when the trap has sprung, once. */
  trapCommit(trap: CommitTrap): Promise<void>;
  /** Asked for every COMMIT that no trap is set for, until it is told otherwise. */
  decide(fate: (transaction: string) => CommitFate): void;
  /** Transactions whose COMMIT has been cut, either way. */
  cuts(): number;
}

type SetTrap = CommitTrap & { left: number; sprung: () => void };

/** Makes the eyes of a proxy in front of a MySQL. */
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
      // A statement by itself is a transaction of its own.
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
/** Where client and server know query attributes, their counts come first: none of them, one set. */
// oxlint-disable-next-line no-control-regex -- the bytes 0 and 1 are what is meant
const noAttributes = /^\0\x01/;

/**
 * Reads the statements out of what a client sends, however it is chopped up: packets of a length in
 * three bytes, a number that is 0 where a command begins, and its code. Source: MySQL's manual,
 * "MySQL Packets" and "COM_QUERY"; the driver sends its transactions as such.
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
