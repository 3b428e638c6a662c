import { z } from "zod";
import { serviceCreateBody, servicePatchBody } from "../../core/model/resource.ts";
import { flagInQuery, listMeta, pageParameters } from "../../core/model/wire.ts";
import {
  countOtherLength,
  createService,
  deleteService,
  getService,
  listServices,
  updateService,
  type OfferedService,
} from "../../core/services/appointments/offered-services.ts";
import { route } from "../http/route.ts";
import { admin, agent } from "./access.ts";
import { deletionView, otherLength, serviceView } from "../../core/model/views/appointment.ts";

const tag = "Services";
const noun = "service";

/** Services that can be booked. Admins define them. */
export const serviceRoutes = [
  route({
    method: "GET",
    path: "/services",
    access: agent,
    tag,
    summary: "List services; archived ones alone with archived=true",
    query: z.object({ archived: flagInQuery.default(false), ...pageParameters }),
    successes: { 200: { description: "Rows.", data: z.array(serviceView), meta: listMeta } },
    run: async (tx, { query }) => {
      const { services, total } = await listServices(tx, query);
      const { limit, offset } = query;
      return { data: services.map(present), meta: { total, limit, offset } };
    },
  }),
  route({
    method: "POST",
    path: "/services",
    access: admin,
    tag,
    summary: "Add a service",
    body: serviceCreateBody,
    successes: { 201: { description: "Added.", data: serviceView } },
    run: async (tx, { body }) => ({ data: present(await createService(tx, body)) }),
  }),
  route({
    method: "GET",
    path: "/services/:id",
    access: agent,
    tag,
    noun,
    summary: "Read a service",
    successes: { 200: { description: "The service.", data: serviceView } },
    run: async (tx, { id }) => ({ data: present(await getService(tx, id)) }),
  }),
  route({
    method: "PATCH",
    path: "/services/:id",
    access: admin,
    tag,
    noun,
    summary: "Change a service, archive it or bring it back; appointments stay as they are",
    body: servicePatchBody,
    successes: { 200: { description: "As it is now.", data: serviceView.extend(otherLength) } },
    run: async (tx, { id, body }) => {
      const service = await updateService(tx, id, body);
      const kept = await countOtherLength(tx, service.row);
      return { data: { ...present(service), appointments_of_other_length: kept } };
    },
  }),
  route({
    method: "DELETE",
    path: "/services/:id",
    access: admin,
    tag,
    noun,
    summary: "Delete a service, or archive one that was booked before",
    successes: { 200: { description: "Deleted or archived.", data: deletionView } },
    run: async (tx, { id }) => ({ data: { id, archived: await deleteService(tx, id) } }),
  }),
];

function present({ row, resourceIds }: OfferedService) {
  return {
    id: row.id,
    name: row.name,
    duration_minutes: row.durationMinutes,
    buffer_before_minutes: row.bufferBeforeMinutes,
    buffer_after_minutes: row.bufferAfterMinutes,
    step_minutes: row.stepMinutes,
    resource_ids: resourceIds,
    archived_at: row.archivedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
