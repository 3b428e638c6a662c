import { Service, ServiceResource, type Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField } from "../../errors.ts";

/**
 * A service that a resource gives, to book it.
 * @throws AppError `service_not_offered`, also for an archived one; `validation_error` with
 * `unknown_service`.
 */
export async function requireService(tx: Tx, id: number, resource: Resource): Promise<Service> {
  // Locked for reading: it is not deleted before it is booked.
  const service = await tx.manager.findOne(Service, {
    where: { id, accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_read" },
  });
  if (service === null) {
    throw invalidField("body.service_id", "unknown_service", "Name a service of this account.");
  }
  if (service.archivedAt === null && (await isOffered(tx, id, resource.id))) return service;
  throw serviceNotOffered();
}

/** @throws AppError `service_not_offered` where a service is not given by this resource. */
export async function requireOffered(
  tx: Tx,
  serviceId: number | null,
  resourceId: number,
): Promise<void> {
  if (serviceId === null || (await isOffered(tx, serviceId, resourceId))) return;
  throw serviceNotOffered();
}

async function isOffered(tx: Tx, serviceId: number, resourceId: number): Promise<boolean> {
  const { accountId } = tx.actor;
  const givers = await tx.manager.findBy(ServiceResource, { accountId, serviceId });
  return givers.length === 0 || givers.some((one) => one.resourceId === resourceId);
}

function serviceNotOffered(): AppError {
  return new AppError("service_not_offered", "This resource does not give this service.");
}
