import { RetryLaterError } from "../retry-later.ts";

/** Bounds of one kind of work in this process. */
interface PlaceBounds {
  /** Most works of one account at once. */
  mostOfAccount: number;
  /** Most works of all accounts at once. No bound by default. */
  most?: number;
  /** Wait of a work without a place, in milliseconds. */
  retryMs: () => number;
}

/** Does the work in a place of its account. @throws RetryLaterError without a free place */
export type InPlace = <T>(accountId: number, work: () => Promise<T>) => Promise<T>;

/** Bounds the work of an account. The map holds accounts with work under way alone. */
export function createAccountPlaces({
  mostOfAccount,
  most = Number.POSITIVE_INFINITY,
  retryMs,
}: PlaceBounds): InPlace {
  const underWay = new Map<number, number>();
  let total = 0;
  return async (accountId, work) => {
    const taken = underWay.get(accountId) ?? 0;
    if (taken >= mostOfAccount || total >= most) {
      throw new RetryLaterError("As much of this work is under way as may be.", retryMs());
    }
    underWay.set(accountId, taken + 1);
    total += 1;
    try {
      return await work();
    } finally {
      total -= 1;
      const left = (underWay.get(accountId) ?? 1) - 1;
      if (left === 0) underWay.delete(accountId);
      else underWay.set(accountId, left);
    }
  };
}
