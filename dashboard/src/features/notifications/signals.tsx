import { useLocalStorage } from "@mantine/hooks";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { callApi } from "../../lib/api.ts";
import { useDesktopPermission } from "../../lib/desktop-permission.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import {
  notificationsQuery,
  notificationTarget,
  notificationWords,
  type NotificationRow,
} from "../../lib/notifications.ts";
import { sessionQuery, useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { playSound, soundSetting } from "../../lib/sound.ts";

const desktopQuery = queryOptions({
  queryKey: [...liveKeys.notifications, "desktop"],
  queryFn: async () =>
    await callApi("GET /notifications", { query: { surface: "desktop", limit: 20 } }),
});

/** Signals of new notifications: the count in the tab's title, a sound, desktop notifications. */
export function Signals({ open }: { open: (path: string) => void }) {
  const { data: session } = useQuery(sessionQuery);
  return session === undefined || session === null ? null : <Signalled open={open} />;
}

function Signalled({ open }: { open: (path: string) => void }) {
  const { account } = useSession();
  const { t } = useTranslation();
  const [sound] = useLocalStorage(soundSetting);
  const newest = useQuery(notificationsQuery).data;
  useTitleCount(newest?.meta.unread ?? 0);
  useNew(newest?.data, () => {
    if (sound) playSound();
  });
  const isAllowed = useDesktopPermission() === "granted";
  const desktop = useQuery({ ...desktopQuery, enabled: isAllowed });
  useNew(desktop.data?.data, (rows) => {
    // The page in front shows the same itself.
    if (document.visibilityState === "visible") return;
    for (const row of rows) {
      const { title, body } = notificationWords(row, t, account.time_zone);
      // Several tabs show one notification, because they use one tag.
      const shown = new Notification(title, { body, tag: String(row.id) });
      shown.addEventListener("click", () => {
        window.focus();
        open(notificationTarget(row) ?? paths.notifications);
        shown.close();
      });
    }
  });
  return null;
}

/** Runs `tell` with unread rows that came after the first read. */
function useNew(rows: NotificationRow[] | undefined, tell: (rows: NotificationRow[]) => void) {
  const known = useRef<number | null>(null);
  useEffect(() => {
    if (rows === undefined) return;
    const last = known.current;
    known.current = Math.max(last ?? 0, ...rows.map(({ id }) => id));
    const added = rows.filter(({ id, read_at }) => id > (last ?? id) && read_at === null);
    if (added.length > 0) tell(added);
  });
}

/** Keeps the count in front of the title, which each page sets for itself. */
function useTitleCount(count: number): void {
  useEffect(() => {
    const title = document.querySelector("title");
    const show = (prefix: string): void => {
      const wanted = prefix + document.title.replace(/^\(\d+\+?\) /u, "");
      if (document.title !== wanted) document.title = wanted;
    };
    const prefix = count === 0 ? "" : `(${count > 99 ? "99+" : count}) `;
    show(prefix);
    if (title === null) return;
    const observer = new MutationObserver(() => show(prefix));
    observer.observe(title, { childList: true, characterData: true, subtree: true });
    return () => observer.disconnect();
  }, [count]);
}
