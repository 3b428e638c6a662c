import { randomBytes } from "node:crypto";

/** Id for a request without an id of its own. */
export function newRequestId(): string {
  return `req_${randomBytes(9).toString("base64url")}`;
}
