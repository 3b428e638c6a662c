import { expect, test } from "vitest";
import { createAccountPlaces } from "../../../activities/limits/account-places.ts";
import { RetryLaterError } from "../../../activities/retry-later.ts";

test("an account has its places, all accounts have theirs, and failed work gives its place back", async () => {
  const inPlace = createAccountPlaces({ mostOfAccount: 2, most: 3, retryMs: () => 700 });
  const ends: ((failed: boolean) => void)[] = [];
  const begin = async (accountId: number) =>
    await inPlace(
      accountId,
      async () =>
        await new Promise<void>((resolve, reject) => {
          ends.push((failed) => (failed ? reject(new Error("The work failed.")) : resolve()));
        }),
    );
  const first = begin(1);
  const second = begin(1);
  const refusal = await begin(1).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RetryLaterError);
  expect(refusal).toMatchObject({ retryAfterMs: 700 });
  const other = begin(2);
  await expect(begin(3)).rejects.toThrow(RetryLaterError);
  expect(ends).toHaveLength(3);

  ends[0]?.(true);
  await expect(first).rejects.toThrow("The work failed.");
  const next = begin(1);
  expect(ends).toHaveLength(4);
  await expect(begin(3)).rejects.toThrow(RetryLaterError);
  for (const end of ends) end(false);
  await Promise.all([second, other, next]);
});
