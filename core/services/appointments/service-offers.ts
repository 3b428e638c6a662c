import { Service, ServiceResource, type Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField } from "../../errors.ts";

/**
 * Reads a service to book it on a resource.
 * @throws AppError `service_not_offered` if the service is archived or not given by the resource;
 * `validation_error` with `unknown_service`.
 */
export async function requireService(tx: Tx, id: number, resource: Resource): Promise<Service> {
  // A shared lock keeps the service from being deleted before it is booked.
  const service = await tx.manager.findOne(Service, {
    where: { id, accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_read" },
  });
  if (service === null) {
    throw invalidField("body.service_id", "unknown_service", "Name a service of this account.");
  }
  if (service.archivedAt === null && (await isOffered(tx, id, resource.id))) return service;
  throw new AppError("service_not_offered");
}

/** @throws AppError `service_not_offered` if the resource does not give the service. */
export async function requireOffered(
  tx: Tx,
  serviceId: number | null,
  resourceId: number,
): Promise<void> {
  if (serviceId === null || (await isOffered(tx, serviceId, resourceId))) return;
  throw new AppError("service_not_offered");
}

async function isOffered(tx: Tx, serviceId: number, resourceId: number): Promise<boolean> {
  const { accountId } = tx.actor;
  const givers = await tx.manager.findBy(ServiceResource, { accountId, serviceId });
  return givers.length === 0 || givers.some((one) => one.resourceId === resourceId);
}
