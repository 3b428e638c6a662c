import {
  countOtherLength,
  createService,
  deleteService,
  getService,
  listServices,
  updateService,
  type OfferedService,
} from "../../core/services/appointments/offered-services.ts";
import { admin, agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Services";
const noun = "service";

/** Services that can be booked. Admins define them. */
export const serviceRoutes = [
  dashboardRoute("GET /services", {
    access: agent,
    tag,
    summary: "List services; archived ones alone with archived=true",
    run: async (tx, { query }) => {
      const page = await listServices(tx, query);
      return { data: page.rows.map(present), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /services", {
    access: admin,
    tag,
    summary: "Add a service",
    run: async (tx, { body }) => ({ data: present(await createService(tx, body)) }),
  }),
  dashboardRoute("GET /services/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a service",
    run: async (tx, { id }) => ({ data: present(await getService(tx, id)) }),
  }),
  dashboardRoute("PATCH /services/:id", {
    access: admin,
    tag,
    noun,
    summary: "Change a service, archive it or bring it back; appointments stay as they are",
    run: async (tx, { id, body }) => {
      const service = await updateService(tx, id, body);
      const kept = await countOtherLength(tx, service.row);
      return { data: { ...present(service), appointments_of_other_length: kept } };
    },
  }),
  dashboardRoute("DELETE /services/:id", {
    access: admin,
    tag,
    noun,
    summary: "Delete a service, or archive one that was booked before",
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
    hue: row.hue,
    resource_ids: resourceIds,
    archived_at: row.archivedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
