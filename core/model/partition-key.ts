/**
 * Partition keys of outbox rows, in the column `lane`. The relay shares its capacity among partitions.
 *
 * - `<account>:<host>`: deliveries to a host. The limiter of the host bounds them.
 * - `<account>:<host>#<subscription>`: the same for a subscription with a limit of its own, which
 *   must not stand before the others of its host.
 * - `<account>:`: deliveries whose first attempt failed here. Only Temporal hears of them.
 * - `-:<account>`: requests of an account, such as a handoff. People wait for them.
 * - `-:<account>:<channel account>`: messages of a number, Page or Instagram account whose first
 *   hand-over the relay may make itself.
 *
 * A request of an older version has the key `-` alone. It counts as one more account, with the id 0.
 */
const requestMark = "-";
/** No host contains it. */
const subscriptionMark = "#";

/** The receiver of a delivery, as its subscription names it. */
interface PartitionTarget {
  subscriptionId: number;
  url: string;
  /** Limit of the subscription itself; null: it has none. */
  maxConcurrency: number | null;
}

/** Key of a delivery of a subscription. */
export function deliveryPartition(
  accountId: number,
  { subscriptionId, url, maxConcurrency }: PartitionTarget,
): string {
  const key = `${accountId}:${new URL(url).host}`;
  return maxConcurrency === null ? key : `${key}${subscriptionMark}${subscriptionId}`;
}

/** Key of a request of an account. */
export function requestPartition(accountId: number): string {
  return `${requestMark}:${accountId}`;
}

/** Key of messages whose first hand-over the relay may make itself. */
export function sendPartition(accountId: number, channelAccountId: number): string {
  return `${requestPartition(accountId)}:${channelAccountId}`;
}

/** SQL for the key of a request that only Temporal hears of, in the account of the row. */
export const requestPartitionSql = `CONCAT('${requestMark}:', account_id)`;

/** SQL for the key of a delivery of a subscription with a limit of its own; the id is the parameter. */
export const subscriptionPartitionSql = `CONCAT(SUBSTRING_INDEX(lane, '${subscriptionMark}', 1), '${subscriptionMark}', ?)`;

/** SQL for the key of a delivery that only Temporal hears of, in the account of the row. */
export const temporalPartitionSql = "CONCAT(account_id, ':')";

/**
 * Keys of all requests of an account, those of older versions included.
 * @returns whole keys, and the pattern for LIKE of its messages' keys
 */
export function requestPartitions(accountId: number): { keys: string[]; pattern: string } {
  const own = requestPartition(accountId);
  return { keys: [requestMark, own], pattern: `${own}:%` };
}

/** @returns true for requests, which ask Temporal and no receiver. */
export function isRequestPartition(key: string): boolean {
  return key === requestMark || key.startsWith(`${requestMark}:`);
}

/** The channel account of messages that the relay may hand over; null for every other key. */
export function channelOf(key: string): number | null {
  const third = isRequestPartition(key) ? key.split(":")[2] : undefined;
  return third === undefined ? null : Number(third);
}

/** Host of the receiver. Empty for requests and for deliveries that only Temporal hears of. */
export function hostOf(key: string): string {
  if (isRequestPartition(key)) return "";
  const [host = ""] = key.slice(key.indexOf(":") + 1).split(subscriptionMark);
  return host;
}

/** The subscription whose own limit bounds the rows of the partition; null where none does. */
export function limitedSubscriptionOf(key: string): number | null {
  const [, id] = key.split(subscriptionMark);
  return id === undefined ? null : Number(id);
}

/** @returns true where rows of the partition lead to a receiver. */
export function hasHost(key: string): boolean {
  return hostOf(key) !== "";
}

/** Account of the rows. 0 for requests of an older version. */
export function accountOf(key: string): number {
  const [first = "", second = ""] = key.split(":");
  return Number(isRequestPartition(key) ? second : first);
}
