import { weeklyHours } from "../../core/model/schedule.ts";
import { listOpeningTimes } from "../../core/services/appointments/opening-times.ts";
import {
  addClosure,
  listClosures,
  removeClosure,
} from "../../core/services/appointments/resource-closures.ts";
import {
  countOutside,
  createResource,
  deleteResource,
  getResource,
  listResources,
  updateResource,
} from "../../core/services/appointments/resources.ts";
import { listBusyBlocks } from "../../core/services/calendars/busy-blocks.ts";
import type { Resource, ResourceClosure } from "../../db/entities/resource.ts";
import { admin, agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Resources";
const noun = "resource";

/** Resources, whose times are booked: admins define them, all members book. */
export const resourceRoutes = [
  dashboardRoute("GET /resources", {
    access: agent,
    tag,
    summary: "List resources; archived ones alone with archived=true",
    run: async (tx, { query }) => {
      const page = await listResources(tx, query);
      return { data: page.rows.map(present), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /resources", {
    access: admin,
    tag,
    summary: "Add a resource with its weekly hours",
    run: async (tx, { body }) => ({ data: present(await createResource(tx, body)) }),
  }),
  dashboardRoute("GET /resources/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a resource",
    run: async (tx, { id }) => ({ data: present(await getResource(tx, id)) }),
  }),
  dashboardRoute("PATCH /resources/:id", {
    access: admin,
    tag,
    noun,
    summary: "Change name, time zone or hours, archive or bring back; appointments stay",
    run: async (tx, { id, body }) => {
      const row = await updateResource(tx, id, body);
      return { data: { ...present(row), appointments_outside: await countOutside(tx, row) } };
    },
  }),
  dashboardRoute("DELETE /resources/:id", {
    access: admin,
    tag,
    noun,
    summary: "Delete a resource, or archive one that is in use",
    run: async (tx, { id }) => ({ data: { id, archived: await deleteResource(tx, id) } }),
  }),
  dashboardRoute("GET /resources/:id/closures", {
    access: agent,
    tag,
    noun,
    summary: "List the closures of a resource that have not ended",
    run: async (tx, { id, query }) => {
      const page = await listClosures(tx, id, query);
      return { data: page.rows.map(presentClosure), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("GET /opening-times", {
    access: agent,
    tag,
    summary: "List when resources are open, and the closures that meet the range",
    run: async (tx, { query: { from, to } }) => {
      const range = { start: from, end: to };
      const rows = await listOpeningTimes(tx, range);
      const blocks = await listBusyBlocks(
        tx,
        rows.map(({ resourceId }) => resourceId),
        range,
      );
      return {
        data: rows.map(({ resourceId, open, closures }) => ({
          resource_id: resourceId,
          open: open.map(({ start, end }) => ({
            start_time: start.toISOString(),
            end_time: end.toISOString(),
          })),
          closures: closures.map(presentClosure),
          busy: blocks
            .filter((block) => block.resourceId === resourceId)
            .map(({ id, startTime, endTime }) => ({
              id,
              start_time: startTime.toISOString(),
              end_time: endTime.toISOString(),
            })),
        })),
      };
    },
  }),
  dashboardRoute("POST /resources/:id/closures", {
    access: admin,
    tag,
    noun,
    summary: "Close a resource for a time; what is booked in it stays",
    run: async (tx, { id, body }) => {
      const closure = await addClosure(tx, id, body);
      const outside = await countOutside(tx, await getResource(tx, id));
      return { data: { ...presentClosure(closure), appointments_outside: outside } };
    },
  }),
  dashboardRoute("DELETE /closures/:id", {
    access: admin,
    tag,
    noun: "closure",
    summary: "Open the time of a closure again",
    run: async (tx, { id }) => {
      await removeClosure(tx, id);
      return { data: { id } };
    },
  }),
];

function present(row: Resource) {
  return {
    id: row.id,
    name: row.name,
    time_zone: row.timeZone,
    // MySQL stores the days in another order.
    weekly_hours: weeklyHours.parse(row.weeklyHours),
    archived_at: row.archivedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function presentClosure(row: ResourceClosure) {
  return {
    id: row.id,
    resource_id: row.resourceId,
    start_time: row.startTime.toISOString(),
    end_time: row.endTime.toISOString(),
    reason: row.reason,
    created_at: row.createdAt.toISOString(),
  };
}
