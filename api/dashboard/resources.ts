import { z } from "zod";
import { openingQuery } from "../../core/model/booking.ts";
import { closureBody, resourceCreateBody, resourcePatchBody } from "../../core/model/resource.ts";
import { weeklyHours } from "../../core/model/schedule.ts";
import { flagInQuery, listMeta, pageParameters, recordId } from "../../core/model/wire.ts";
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
import type { Resource, ResourceClosure } from "../../db/entities/resource.ts";
import { route } from "../http/route.ts";
import { admin, agent } from "./access.ts";
import {
  closureView,
  deletionView,
  openingView,
  outsideHours,
  resourceView,
} from "../../core/model/views/appointment.ts";

const tag = "Resources";
const noun = "resource";

/** Resources, whose times are booked: admins define them, all members book. */
export const resourceRoutes = [
  route({
    method: "GET",
    path: "/resources",
    access: agent,
    tag,
    summary: "List resources; archived ones alone with archived=true",
    query: z.object({ archived: flagInQuery.default(false), ...pageParameters }),
    successes: { 200: { description: "Rows.", data: z.array(resourceView), meta: listMeta } },
    run: async (tx, { query }) => {
      const { rows, total } = await listResources(tx, query);
      const { limit, offset } = query;
      return { data: rows.map(present), meta: { total, limit, offset } };
    },
  }),
  route({
    method: "POST",
    path: "/resources",
    access: admin,
    tag,
    summary: "Add a resource with its weekly hours",
    body: resourceCreateBody,
    successes: { 201: { description: "Added.", data: resourceView } },
    run: async (tx, { body }) => ({ data: present(await createResource(tx, body)) }),
  }),
  route({
    method: "GET",
    path: "/resources/:id",
    access: agent,
    tag,
    noun,
    summary: "Read a resource",
    successes: { 200: { description: "The resource.", data: resourceView } },
    run: async (tx, { id }) => ({ data: present(await getResource(tx, id)) }),
  }),
  route({
    method: "PATCH",
    path: "/resources/:id",
    access: admin,
    tag,
    noun,
    summary: "Change name, time zone or hours, archive or bring back; appointments stay",
    body: resourcePatchBody,
    successes: {
      200: { description: "As it is now.", data: resourceView.extend(outsideHours) },
    },
    run: async (tx, { id, body }) => {
      const row = await updateResource(tx, id, body);
      return { data: { ...present(row), appointments_outside: await countOutside(tx, row) } };
    },
  }),
  route({
    method: "DELETE",
    path: "/resources/:id",
    access: admin,
    tag,
    noun,
    summary: "Delete a resource, or archive one that was booked or that a service names",
    successes: { 200: { description: "Deleted or archived.", data: deletionView } },
    run: async (tx, { id }) => ({ data: { id, archived: await deleteResource(tx, id) } }),
  }),
  route({
    method: "GET",
    path: "/resources/:id/closures",
    access: agent,
    tag,
    noun,
    summary: "List the closures of a resource that have not ended",
    query: z.object(pageParameters),
    successes: { 200: { description: "Rows.", data: z.array(closureView), meta: listMeta } },
    run: async (tx, { id, query }) => {
      const { rows, total } = await listClosures(tx, id, query);
      return { data: rows.map(presentClosure), meta: { total, ...query } };
    },
  }),
  route({
    method: "GET",
    path: "/opening-times",
    access: agent,
    tag,
    summary: "List when resources are open, and the closures that meet the range",
    query: openingQuery,
    successes: { 200: { description: "By resource.", data: z.array(openingView) } },
    run: async (tx, { query: { from, to } }) => {
      const rows = await listOpeningTimes(tx, { start: from, end: to });
      return {
        data: rows.map(({ resourceId, open, closures }) => ({
          resource_id: resourceId,
          open: open.map(({ start, end }) => ({
            start_time: start.toISOString(),
            end_time: end.toISOString(),
          })),
          closures: closures.map(presentClosure),
        })),
      };
    },
  }),
  route({
    method: "POST",
    path: "/resources/:id/closures",
    access: admin,
    tag,
    noun,
    summary: "Close a resource for a time; what is booked in it stays",
    body: closureBody,
    successes: { 201: { description: "Closed.", data: closureView.extend(outsideHours) } },
    run: async (tx, { id, body }) => {
      const closure = await addClosure(tx, id, body);
      const outside = await countOutside(tx, await getResource(tx, id));
      return { data: { ...presentClosure(closure), appointments_outside: outside } };
    },
  }),
  route({
    method: "DELETE",
    path: "/closures/:id",
    access: admin,
    tag,
    noun: "closure",
    summary: "Open the time of a closure again",
    successes: { 200: { description: "Open.", data: z.strictObject({ id: recordId }) } },
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
