import { useSession } from "../../lib/session.ts";

/** Parts of the composer. Each keeps a draft of its own. */
type DraftPart = "reply" | "note" | "choice" | "options" | "template" | "named_template";

/** Key of a draft of the present person in a conversation. */
export function useDraftKey(conversationId: number, part: DraftPart): string {
  const { account, user } = useSession();
  return `${account.id}.${user.id}.${conversationId}.${part}`;
}
