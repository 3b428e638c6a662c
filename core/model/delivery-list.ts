import { z } from "zod";
import { eventTypes } from "./event-types.ts";
import { idParameter, momentInput, searchInQuery } from "./wire.ts";
import { deliveryStates } from "./workflow/delivery.ts";

/** Filters of the delivery log and of its export. A delivery must match all of them. */
export const deliveryFilters = {
  subscription_id: idParameter.optional(),
  state: z.enum(deliveryStates).optional(),
  event_type: z.enum(eventTypes).optional(),
  event_id: z.uuid().optional(),
  search: searchInQuery.optional(),
  since: momentInput.optional(),
  until: momentInput.optional(),
};
