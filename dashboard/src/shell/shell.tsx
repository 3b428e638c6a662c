import { useLocalStorage, useMediaQuery } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Navigate, Outlet, useLocation } from "react-router";
import { LoadingRows, QueryState } from "../components/load-states.tsx";
import { Status } from "../components/status.tsx";
import { placeChanged } from "../lib/inbox-queue.ts";
import { languageOf, switchLanguage } from "../lib/i18n.ts";
import { useLiveChanges } from "../lib/live-changes.ts";
import type { LiveState } from "../lib/live-stream.ts";
import { isSameLogin, sessionQuery, type Session } from "../lib/session.ts";
import { loginPath, paths } from "../paths.ts";
import { useCounts } from "./counts.ts";
import { usePalette } from "./palette.tsx";
import { PhoneBar } from "./phone-bar.tsx";
import styles from "./shell.module.css";
import { Sidebar } from "./sidebar.tsx";

/**
 * Frame of every page behind the login. After a session ends, the next login returns to the same
 * URL.
 */
export function Shell() {
  const query = useQuery(sessionQuery);
  const { pathname, search } = useLocation();
  return (
    <QueryState query={query}>
      {(session) =>
        session === null ? (
          <Navigate to={loginPath(pathname + search)} replace />
        ) : (
          <OneLogin session={session} />
        )
      }
    </QueryState>
  );
}

/** The data of a page belongs to one user in one account. Another login reloads the page. */
function OneLogin({ session }: { session: Session }) {
  const [begun] = useState(session);
  const live = useLiveChanges(begun, placeChanged);
  useLeaveNothing();
  const same = isSameLogin(begun, session);
  useEffect(() => {
    if (!same) window.location.assign(paths.inbox);
  }, [same]);
  return same ? <Frame session={session} live={live} /> : <LoadingRows />;
}

/** Drops all cached data but the session, because another tab may begin another login. */
function useLeaveNothing(): void {
  const client = useQueryClient();
  useEffect(
    () => () =>
      client.removeQueries({
        predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0],
      }),
    [client],
  );
}

function Frame({ session, live }: { session: Session; live: LiveState }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const [chosen, setFolded] = useLocalStorage({ key: "parley.folded", defaultValue: false });
  const isPhone = useMediaQuery("(max-width: 47.99em)", false, atOnce);
  const isNarrow = useMediaQuery("(max-width: 1179px)", false, atOnce);
  const folded = chosen || isNarrow;
  const counts = useCounts();
  const { palette, open: openPalette } = usePalette(session);
  // An opened conversation takes the whole screen of a phone; its header leads back.
  const hasBar = isPhone && !/^\/inbox\/\d/.test(pathname);
  useEffect(() => {
    void switchLanguage(languageOf(session.user.locale ?? session.account.locale));
  }, [session.user.locale, session.account.locale]);
  return (
    <div className={styles["app"]} data-folded={folded || undefined} data-bar={hasBar || undefined}>
      {!isPhone && (
        <Sidebar
          folded={folded}
          folding={isNarrow ? null : { folded, onFold: () => setFolded(!folded) }}
          counts={counts}
          onSearch={openPalette}
        />
      )}
      <main className={styles["main"]}>
        <Suspense fallback={<LoadingRows />}>
          <Outlet />
        </Suspense>
      </main>
      {hasBar && <PhoneBar counts={counts} onSearch={openPalette} />}
      {live === "cut" && (
        <div className={styles["cut"]} role="status">
          <Status tone="warn">{t("live.cut")}</Status>
        </div>
      )}
      {palette}
    </div>
  );
}

/** The width is known before the first render. */
const atOnce = { getInitialValueInEffect: false };
