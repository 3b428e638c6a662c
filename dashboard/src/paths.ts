import type { DashboardSection } from "../../core/model/dashboard-sections.ts";

type Path = `/${DashboardSection}${"" | `/${string}` | `?${string}`}`;

/** Every URL of the app. A section is one that the API serves the app at. */
export const paths = {
  login: "/login",
  link: "/link",
  inbox: "/inbox",
  contacts: "/contacts",
  pipelines: "/pipelines",
  appointments: "/appointments",
  bookingLinks: "/appointments/links",
  appointmentSetup: "/appointments/setup",
  webhooks: "/webhooks",
  inbound: "/inbound",
  apiKeys: "/api-keys",
  notifications: "/notifications",
  account: "/settings/account",
  profile: "/settings/profile",
  users: "/settings/users",
  system: "/system",
} as const satisfies Record<string, Path>;

/** An opened conversation. */
export function conversationPath(id: number): Path {
  return `/inbox/${id}`;
}

/** A contact with all that is known of the person. */
export function contactPath(id: number): Path {
  return `/contacts/${id}`;
}

/** The board of a pipeline. */
export function pipelinePath(id: number): Path {
  return `/pipelines/${id}`;
}

/** An appointment, opened over the calendar; of its day, such as `2026-11-24`, where that is known. */
export function appointmentPath(id: number, date?: string): Path {
  return `/appointments?${date === undefined ? "" : `date=${date}&`}appointment=${id}`;
}

/** A subscription with its delivery log. */
export function subscriptionPath(id: number): Path {
  return `/webhooks/${id}`;
}

/** An inbound endpoint or a voice integration with its log. */
export function inboundEndpointPath(id: number): Path {
  return `/inbound/${id}`;
}

/** A delivery in the log of its subscription. */
export function deliveryPath(subscriptionId: number, id: number): string {
  return `${subscriptionPath(subscriptionId)}?delivery=${id}`;
}

/** The login page, which leads back to where the person was. */
export function loginPath(next: string): string {
  const plain = next === "/" || next.startsWith(paths.login);
  return plain ? paths.login : `${paths.login}?next=${encodeURIComponent(next)}`;
}

/** Where a login leads: only ever to a path of our own, never to another site. */
export function afterLogin(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "";
  const here = window.location.origin;
  if (!next.startsWith("/") || !URL.canParse(next, here)) return paths.inbox;
  // As a browser reads it, which skips tabs and takes a backslash for a slash.
  const { origin, pathname, search: query, hash } = new URL(next, here);
  return origin === here && !pathname.startsWith("//") ? pathname + query + hash : paths.inbox;
}
