import { createFeed, listFeeds, revokeFeed } from "../../core/services/booking/calendar-feeds.ts";
import type { CalendarFeed } from "../../db/entities/calendar-feed.ts";
import { admin } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Resources";

/** Private calendar feeds of resources, for admins. */
export const calendarFeedRoutes = [
  dashboardRoute("GET /resources/:id/feeds", {
    access: admin,
    tag,
    noun: "resource",
    summary: "List the calendar feeds of a resource, newest first, revoked ones too",
    run: async (tx, { id, query }) => {
      const page = await listFeeds(tx, id, query);
      return { data: page.rows.map(present), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /resources/:id/feeds", {
    access: admin,
    tag,
    noun: "resource",
    summary: "Make a calendar feed; its address is in this answer alone",
    run: async (tx, { id, body }, { config }) => {
      const { row, token } = await createFeed(tx, id, body.times_only);
      return { data: { ...present(row), url: `${config.publicUrl}/feeds/${token}.ics` } };
    },
  }),
  dashboardRoute("POST /feeds/:id/revoke", {
    access: admin,
    tag,
    noun: "calendar_feed",
    summary: "End a calendar feed for good; programs that read it find nothing",
    run: async (tx, { id }) => ({ data: present(await revokeFeed(tx, id)) }),
  }),
];

function present(row: CalendarFeed) {
  return {
    id: row.id,
    resource_id: row.resourceId,
    times_only: row.timesOnly,
    revoked_at: row.revokedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}
