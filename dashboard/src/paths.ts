import type { DashboardSection } from "../../core/model/dashboard-sections.ts";

type Path = `/${DashboardSection}${"" | `/${string}` | `?${string}`}`;

/**
 * Every URL of the app. The first part of each path is a section under which the API serves the
 * app.
 */
export const paths = {
  login: "/login",
  link: "/link",
  inbox: "/inbox",
  contacts: "/contacts",
  pipelines: "/pipelines",
  appointments: "/appointments",
  bookingLinks: "/appointments/links",
  appointmentSetup: "/appointments/setup",
  agent: "/agent",
  agentSetup: "/agent/setup",
  agentKnowledge: "/agent/knowledge",
  agentPlayground: "/agent/playground",
  agentCases: "/agent/cases",
  agentTurns: "/agent/turns",
  agentUsage: "/agent/usage",
  agentQuality: "/agent/quality",
  channels: "/channels",
  channelConnect: "/channels/connect",
  webChat: "/channels/web",
  webhooks: "/webhooks",
  inbound: "/inbound",
  apiKeys: "/api-keys",
  notifications: "/notifications",
  account: "/settings/account",
  profile: "/settings/profile",
  users: "/settings/users",
  calendars: "/settings/calendars",
  imports: "/settings/imports",
  exports: "/settings/exports",
  system: "/system",
} as const satisfies Record<string, Path>;

/** URL of a test case of the agent, opened over the list. */
export function casePath(id: number): Path {
  return `${paths.agentCases}?case=${id}`;
}

/** URL of an opened conversation. */
export function conversationPath(id: number): Path {
  return `/inbox/${id}`;
}

/** URL of one message of a conversation, which scrolls to the message. */
export function messagePath(conversationId: number, id: number): Path {
  return `${conversationPath(conversationId)}#message-${id}` as Path;
}

/** URL of a contact's page, with all that is known of the person. */
export function contactPath(id: number): Path {
  return `/contacts/${id}`;
}

/** URL of the board of a pipeline. */
export function pipelinePath(id: number): Path {
  return `/pipelines/${id}`;
}

/**
 * URL of an appointment, opened over the calendar. `date` is its day, such as `2026-11-24`, where
 * the caller knows it.
 */
export function appointmentPath(id: number, date?: string): Path {
  return `/appointments?${date === undefined ? "" : `date=${date}&`}appointment=${id}`;
}

/** URL of a number, Page or Instagram account with its health. */
export function channelPath(id: number): Path {
  return `/channels/${id}`;
}

/** URL of a widget of web chat. */
export function widgetPath(id: number): Path {
  return `${paths.webChat}/${id}` as Path;
}

/** URL of the steps that give a channel account a new token. */
export function reconnectPath(id: number): Path {
  return `${paths.channelConnect}?channel=${id}`;
}

/** URL of a subscription with its delivery log. */
export function subscriptionPath(id: number): Path {
  return `/webhooks/${id}`;
}

/** URL of an inbound endpoint or a voice integration, with its log. */
export function inboundEndpointPath(id: number): Path {
  return `/inbound/${id}`;
}

/** URL of a delivery in the log of its subscription. */
export function deliveryPath(subscriptionId: number, id: number): string {
  return `${subscriptionPath(subscriptionId)}?delivery=${id}`;
}

/** URL of the login page. After the login the person returns to `next`. */
export function loginPath(next: string): string {
  const plain = next === "/" || next.startsWith(paths.login);
  return plain ? paths.login : `${paths.login}?next=${encodeURIComponent(next)}`;
}

/** Path to open after a login. Only a path of our own is followed, never another site. */
export function afterLogin(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "";
  const here = window.location.origin;
  if (!next.startsWith("/") || !URL.canParse(next, here)) return paths.inbox;
  // `URL` parses like a browser: it skips tabs and reads a backslash as a slash.
  const { origin, pathname, search: query, hash } = new URL(next, here);
  return origin === here && !pathname.startsWith("//") ? pathname + query + hash : paths.inbox;
}
