import { AppShell, FocusTrap } from "@mantine/core";
import {
  useDisclosure,
  useFocusReturn,
  useHotkeys,
  useLocalStorage,
  useMediaQuery,
} from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { Navigate, Outlet, useLocation } from "react-router";
import { LoadingRows, QueryState } from "../components/load-states.tsx";
import { languageOf, switchLanguage } from "../lib/i18n.ts";
import { useLiveChanges } from "../lib/live-changes.ts";
import type { LiveState } from "../lib/live-stream.ts";
import { isSameLogin, sessionQuery, type Session } from "../lib/session.ts";
import { loginPath, paths } from "../paths.ts";
import { CommandPalette } from "./command-palette.tsx";
import { Sidebar } from "./sidebar.tsx";
import { TopBar } from "./top-bar.tsx";

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
  const live = useLiveChanges(begun);
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
  const [opened, menu] = useDisclosure(false);
  const [chosen, setFolded] = useLocalStorage({ key: "parley.folded", defaultValue: false });
  const narrow = useMediaQuery("(min-width: 48em) and (max-width: 62em)");
  const folded = chosen || narrow;
  const roomy = useMediaQuery("(min-width: 48em)");
  // A phone's menu covers the whole page. The page behind cannot be focused and is not read out.
  const covers = opened && !roomy;
  const { pathname } = useLocation();
  const closeMenu = menu.close;
  useEffect(() => closeMenu(), [pathname, closeMenu]);
  useFocusReturn({ opened: covers });
  useHotkeys([["Escape", closeMenu, { preventDefault: false }]]);
  useEffect(() => {
    void switchLanguage(languageOf(session.user.locale ?? session.account.locale));
  }, [session.user.locale, session.account.locale]);
  return (
    <AppShell
      layout="alt"
      header={{ height: 52 }}
      navbar={{ width: folded ? 64 : 240, breakpoint: "sm", collapsed: { mobile: !opened } }}
      transitionDuration={120}
    >
      <AppShell.Header inert={covers}>
        <TopBar session={session} live={live} menuOpened={covers} onMenu={menu.toggle} />
      </AppShell.Header>
      {/* A closed menu that is only out of sight would still be read out and take the focus. */}
      <FocusTrap active={covers}>
        <AppShell.Navbar bg="var(--parley-canvas)" {...(covers ? {} : { visibleFrom: "sm" })}>
          <Sidebar
            folded={folded}
            onFold={narrow || covers ? null : () => setFolded(!folded)}
            onClose={menu.close}
          />
        </AppShell.Navbar>
      </FocusTrap>
      <AppShell.Main inert={covers}>
        <Suspense fallback={<LoadingRows />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      <CommandPalette session={session} />
    </AppShell>
  );
}
