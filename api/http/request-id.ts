import { randomBytes } from "node:crypto";

/** An id for a request that brought none of its own. */
export function newRequestId(): string {
  return `req_${randomBytes(9).toString("base64url")}`;
}
