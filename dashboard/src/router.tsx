import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { RouteError } from "./components/route-error.tsx";
import { fetchAllTexts } from "./lib/i18n.ts";
import { paths } from "./paths.ts";
import { Shell } from "./shell/shell.tsx";

const inbox: RouteObject = {
  path: `${paths.inbox}/:conversation?`,
  lazy: async () => ({
    Component: (await import("./features/inbox/inbox-page.tsx")).InboxPage,
  }),
};

/**
 * One entry per page. The code of a page is fetched when somebody opens the page for the first
 * time.
 */
const pages: RouteObject[] = [
  {
    path: paths.contacts,
    lazy: async () => ({
      Component: (await import("./features/contacts/contacts-page.tsx")).ContactsPage,
    }),
  },
  {
    path: `${paths.contacts}/:contact`,
    lazy: async () => ({
      Component: (await import("./features/contacts/contact-page.tsx")).ContactPage,
    }),
  },
  {
    path: `${paths.pipelines}/:pipeline?`,
    lazy: async () => ({
      Component: (await import("./features/pipelines/board-page.tsx")).BoardPage,
    }),
  },
  {
    path: paths.appointments,
    lazy: async () => ({
      Component: (await import("./features/appointments/appointments-page.tsx")).AppointmentsPage,
    }),
  },
  {
    path: paths.bookingLinks,
    lazy: async () => ({
      Component: (await import("./features/appointments/booking-links-page.tsx")).BookingLinksPage,
    }),
  },
  {
    path: paths.appointmentSetup,
    lazy: async () => ({
      Component: (await import("./features/appointments/setup-page.tsx")).SetupPage,
    }),
  },
  {
    path: paths.agent,
    lazy: async () => ({
      Component: (await import("./features/agent/overview-page.tsx")).OverviewPage,
    }),
  },
  {
    path: paths.agentSetup,
    lazy: async () => ({
      Component: (await import("./features/agent/setup-page.tsx")).SetupPage,
    }),
  },
  {
    path: paths.agentKnowledge,
    lazy: async () => ({
      Component: (await import("./features/agent/knowledge-page.tsx")).KnowledgePage,
    }),
  },
  {
    path: paths.agentPlayground,
    lazy: async () => ({
      Component: (await import("./features/agent/playground-page.tsx")).PlaygroundPage,
    }),
  },
  {
    path: paths.agentCases,
    lazy: async () => ({
      Component: (await import("./features/agent/cases-page.tsx")).CasesPage,
    }),
  },
  {
    path: paths.agentTurns,
    lazy: async () => ({
      Component: (await import("./features/agent/turns-page.tsx")).TurnsPage,
    }),
  },
  {
    path: paths.agentUsage,
    lazy: async () => ({
      Component: (await import("./features/agent/usage-page.tsx")).UsagePage,
    }),
  },
  {
    path: paths.agentQuality,
    lazy: async () => ({
      Component: (await import("./features/agent/quality-page.tsx")).QualityPage,
    }),
  },
  {
    path: paths.channels,
    lazy: async () => ({
      Component: (await import("./features/channels/channels-page.tsx")).ChannelsPage,
    }),
  },
  {
    path: paths.channelConnect,
    lazy: async () => ({
      Component: (await import("./features/channels/connect-page.tsx")).ConnectPage,
    }),
  },
  {
    path: `${paths.webChat}/:widget?`,
    lazy: async () => ({
      Component: (await import("./features/web-chat/web-chat-page.tsx")).WebChatPage,
    }),
  },
  {
    path: `${paths.channels}/:channel`,
    lazy: async () => ({
      Component: (await import("./features/channels/channel-page.tsx")).ChannelPage,
    }),
  },
  {
    path: paths.webhooks,
    lazy: async () => ({
      Component: (await import("./features/webhooks/webhooks-page.tsx")).WebhooksPage,
    }),
  },
  {
    path: `${paths.webhooks}/:subscription`,
    lazy: async () => ({
      Component: (await import("./features/webhooks/subscription-page.tsx")).SubscriptionPage,
    }),
  },
  {
    path: paths.inbound,
    lazy: async () => ({
      Component: (await import("./features/inbound/inbound-page.tsx")).InboundPage,
    }),
  },
  {
    path: `${paths.inbound}/:endpoint`,
    lazy: async () => ({
      Component: (await import("./features/inbound/endpoint-page.tsx")).EndpointPage,
    }),
  },
  {
    path: paths.apiKeys,
    lazy: async () => ({
      Component: (await import("./features/api-keys/api-keys-page.tsx")).ApiKeysPage,
    }),
  },
  {
    path: paths.notifications,
    lazy: async () => ({
      Component: (await import("./features/notifications/notifications-page.tsx"))
        .NotificationsPage,
    }),
  },
  {
    path: paths.account,
    lazy: async () => ({
      Component: (await import("./features/settings/settings-page.tsx")).SettingsPage,
    }),
  },
  {
    path: paths.profile,
    lazy: async () => ({
      Component: (await import("./features/profile/profile-page.tsx")).ProfilePage,
    }),
  },
  {
    path: paths.users,
    lazy: async () => ({
      Component: (await import("./features/people/people-page.tsx")).PeoplePage,
    }),
  },
  {
    path: paths.calendars,
    lazy: async () => ({
      Component: (await import("./features/calendars/calendars-page.tsx")).CalendarsPage,
    }),
  },
  {
    path: `${paths.imports}/:import?`,
    lazy: async () => ({
      Component: (await import("./features/imports/imports-route.tsx")).ImportsRoute,
    }),
  },
  {
    path: paths.exports,
    lazy: async () => ({
      Component: (await import("./features/exports/exports-page.tsx")).ExportsPage,
    }),
  },
  {
    path: paths.system,
    lazy: async () => ({
      Component: (await import("./features/system/system-page.tsx")).SystemPage,
    }),
  },
];

/** Route of a page that fetches all texts together with its code. */
function withTexts(page: RouteObject): RouteObject {
  const { lazy } = page;
  if (typeof lazy !== "function") return page;
  return {
    ...page,
    lazy: async () => {
      const [fetched] = await Promise.all([lazy(), fetchAllTexts()]);
      return fetched;
    },
  };
}

/** Every page of the app: two public pages, and the pages behind the login. */
export const router = createBrowserRouter([
  {
    errorElement: <RouteError />,
    hydrateFallbackElement: <></>,
    children: [
      {
        path: paths.login,
        lazy: async () => ({
          Component: (await import("./features/login/login-page.tsx")).LoginPage,
        }),
      },
      withTexts({
        path: paths.link,
        lazy: async () => ({
          Component: (await import("./features/login/link-page.tsx")).LinkPage,
        }),
      }),
      {
        element: <Shell />,
        children: [
          { index: true, element: <Navigate to={paths.inbox} replace /> },
          { errorElement: <RouteError inShell />, children: [inbox, ...pages.map(withTexts)] },
          { path: "*", element: <RouteError inShell /> },
        ],
      },
    ],
  },
]);
