import type { Offer, OfferedResource } from "../../core/services/booking/booking-offers.ts";

/** The resource that the customer chose, by the parameter `with`. Undefined for anyone. */
export function findWished({ resources }: Offer, id: string | null): OfferedResource | undefined {
  return resources.find((one) => one.id === Number(id));
}

/** Parameter that keeps the chosen resource on the next page. */
export function wishOf(wished: OfferedResource | undefined): Record<string, string> {
  return wished === undefined ? {} : { with: String(wished.id) };
}
