import { useSession } from "../lib/session.ts";
import { exactTime, relativeTime, useNow } from "../lib/time.ts";

/** A moment as `2 min ago`, with the exact moment on hover. */
export function Moment({ at }: { at: string }) {
  const { account } = useSession();
  const now = useNow(30_000);
  return (
    <time dateTime={at} title={exactTime(at, account.time_zone)}>
      {relativeTime(at, now)}
    </time>
  );
}
