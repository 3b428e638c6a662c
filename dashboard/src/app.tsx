import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { RouterProvider } from "react-router";
import { ApiError, whenSessionEnds } from "./lib/api.ts";
import { styleNonce } from "./lib/nonce.ts";
import { endSession, followSession, sessionQuery } from "./lib/session.ts";
import { router } from "./router.tsx";
import { cssVariables, theme } from "./theme/theme.ts";

/** Fetched after the first page is there. */
const Signals = lazy(async () => ({
  default: (await import("./features/notifications/signals.tsx")).Signals,
}));

const client = new QueryClient({
  defaultOptions: {
    queries: { retry: shouldRetry, staleTime: 30_000 },
    // Offline, a change fails at once with a message. Otherwise it would wait unseen in a tab that
    // may be closed.
    mutations: { networkMode: "always" },
  },
});
whenSessionEnds(() => endSession(client));
followSession(client);
// Every page needs the session. This call fetches it while the code of the page still loads.
void client.query(sessionQuery).catch(() => undefined);

/** Root component of the app: theme, toasts, query cache and router. */
export function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={cssVariables}
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={client}>
        <Notifications className="toasts" position="bottom-left" containerWidth={352} limit={3} />
        <Floating />
        <RouterProvider router={router} />
        <Suspense fallback={null}>
          <Signals open={(path) => void router.navigate(path)} />
        </Suspense>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** The place of open menus and tooltips: a landmark, which a screen reader finds by its name. */
function Floating() {
  const { t } = useTranslation();
  return <section id="floating" aria-label={t("common.floating")} />;
}

/**
 * Retries up to three times while the server is away. A refusal would be the same the next time.
 */
function shouldRetry(failures: number, error: unknown): boolean {
  const passing = error instanceof ApiError && passingCodes.has(error.code);
  return passing && failures < 3;
}

const passingCodes = new Set(["network", "service_unavailable"]);
