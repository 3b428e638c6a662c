import { createBrowserRouter, Navigate, type RouteObject } from "react-router";
import { RouteError } from "./components/route-error.tsx";
import { paths } from "./paths.ts";
import { Shell } from "./shell/shell.tsx";

/** One line a page; each is fetched when it is first opened. */
const pages: RouteObject[] = [
  {
    path: `${paths.inbox}/:conversation?`,
    lazy: async () => ({
      Component: (await import("./features/inbox/inbox-page.tsx")).InboxPage,
    }),
  },
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
    path: paths.apiKeys,
    lazy: async () => ({
      Component: (await import("./features/api-keys/api-keys-page.tsx")).ApiKeysPage,
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
];

/** Every page of the app: the two that anybody may open, and those behind the login. */
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
      {
        path: paths.link,
        lazy: async () => ({
          Component: (await import("./features/login/link-page.tsx")).LinkPage,
        }),
      },
      {
        element: <Shell />,
        children: [
          { index: true, element: <Navigate to={paths.inbox} replace /> },
          { errorElement: <RouteError inShell />, children: pages },
          { path: "*", element: <RouteError inShell /> },
        ],
      },
    ],
  },
]);
