/**
 * Meaning of an error of the Graph API for one send:
 * - `pair`: too many messages to this customer; `number`: too many of this number, Page or account;
 * - `provider`: trouble at Meta; these three may be tried again;
 * - `window`, `recipient`, `limit`, `opted_out`, `template`, `content`: this message is refused;
 * - `channel`: the token, the permission or the account, so every message would be refused.
 */
export const graphErrorClasses = [
  "pair",
  "number",
  "provider",
  "window",
  "recipient",
  "limit",
  "opted_out",
  "template",
  "content",
  "channel",
] as const;
export type GraphErrorClass = (typeof graphErrorClasses)[number];

/** A subcode narrows its code, so these are read first. Keys are `code/subcode`. */
const bySubcode: ReadonlyMap<string, GraphErrorClass> = new Map([
  ["10/2018065", "window"],
  ["10/2018278", "window"],
  ["10/2534022", "window"],
  ["10/1893015", "opted_out"],
  ["10/1893063", "channel"],
  ["10/2018108", "recipient"],
  // Another app, or a flow of Meta's own, has the conversation.
  ["10/2018300", "recipient"],
  ["10/2018321", "recipient"],
  ["10/2018336", "recipient"],
  ["100/2534037", "recipient"],
  ["100/2018001", "recipient"],
  ["100/2534014", "recipient"],
  ["200/1545041", "recipient"],
]);

const codes: Readonly<Record<GraphErrorClass, readonly number[]>> = {
  pair: [131_056],
  number: [130_429, 80_001, 80_002, 80_006, 80_007, 131_057, 4, 17, 32, 613],
  provider: [1, 2, 1_200, 131_000, 131_016, 133_004],
  window: [131_047],
  recipient: [131_026, 131_030, 131_021, 130_497, 551, 2_018_300, 2_018_321],
  limit: [131_048, 131_049, 130_472],
  opted_out: [131_050],
  template: [132_000, 132_001, 132_005, 132_007, 132_012, 132_015, 132_016],
  content: [100, 131_008, 131_009, 131_051, 131_053],
  channel: [190, 10, 368, 131_031, 131_042, 133_010],
};

const byCode: ReadonlyMap<number, GraphErrorClass> = new Map(
  graphErrorClasses.flatMap((name) => codes[name].map((code) => [code, name] as const)),
);

/** Meta keeps these codes for missing permissions. */
const permissionCodes = { first: 200, last: 299 };

/**
 * Class of an error, by its subcode, else by its code.
 * @returns null for a code that Meta has not documented for sending
 */
export function findGraphErrorClass(code: number, subcode: number | null): GraphErrorClass | null {
  const known = bySubcode.get(`${code}/${subcode}`) ?? byCode.get(code);
  if (known !== undefined) return known;
  return code >= permissionCodes.first && code <= permissionCodes.last ? "channel" : null;
}

/** @returns true for trouble at Meta and for too many calls: the same call may work later */
export function isPassing(code: number, subcode: number | null): boolean {
  const name = findGraphErrorClass(code, subcode);
  return name === "number" || name === "provider";
}

/** Another app of the Page has the conversation, in the words of Messenger and of Instagram. */
export const otherAppCodes: ReadonlySet<string> = new Set(["10/2018300", "100/2534037"]);

/** Meta lowers the limit of a number that it takes for spam: the number works, but is in danger. */
export const spamLimitCode = 131_048;

/** The token has expired or was withdrawn. */
export const invalidTokenCode = 190;
