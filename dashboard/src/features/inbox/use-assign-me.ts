import { useSession } from "../../lib/session.ts";
import type { Conversation } from "./api.ts";
import { useConversationKeys } from "./selection.ts";
import { useConversationChange } from "./use-conversation-change.ts";

/** Key i assigns the open conversation to the person who looks, unless it is theirs. */
export function useAssignMe({ id, assigned_to_user_id: to }: Conversation): void {
  const { user } = useSession();
  const change = useConversationChange(id);
  const assign = (): void => change.mutate({ type: "assign", userId: user.id });
  useConversationKeys(to === user.id ? {} : { i: assign });
}
