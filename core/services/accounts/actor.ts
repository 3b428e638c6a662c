import type { Principal } from "../../model/principal.ts";

/** The two columns of an actor. */
export function actorOf(actor: Principal): { actorType: string; actorId: number | null } {
  switch (actor.type) {
    case "user":
      return { actorType: actor.type, actorId: actor.userId };
    case "api_key":
      return { actorType: actor.type, actorId: actor.apiKeyId };
    case "inbound_endpoint":
      return { actorType: actor.type, actorId: actor.endpointId };
    case "agent":
    case "contact":
    case "import":
    case "calendar":
    case "system":
      return { actorType: actor.type, actorId: null };
  }
}

/** True for an admin of the account. */
export function isAdmin(actor: Principal): boolean {
  return actor.type === "user" && actor.role === "admin";
}

/** The person who acts, or null for every other principal. */
export function actingUserId(actor: Principal): number | null {
  return actor.type === "user" ? actor.userId : null;
}

/**
 * The person who acts.
 * @throws Error for every other principal: our bug, because only people may call this.
 */
export function requireUserId(actor: Principal): number {
  const userId = actingUserId(actor);
  if (userId === null) throw new Error(`A principal of type ${actor.type} is no person.`);
  return userId;
}
