import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "react-router";
import { ApiError, whenSessionEnds } from "./lib/api.ts";
import { styleNonce } from "./lib/nonce.ts";
import { endSession, followSession, sessionQuery } from "./lib/session.ts";
import { router } from "./router.tsx";
import { cssVariables, theme } from "./theme/theme.ts";

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
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/**
 * Retries up to three times while the server is away. A refusal would be the same the next time.
 */
function shouldRetry(failures: number, error: unknown): boolean {
  const passing = error instanceof ApiError && passingCodes.has(error.code);
  return passing && failures < 3;
}

const passingCodes = new Set(["network", "service_unavailable"]);
