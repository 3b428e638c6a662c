import type { VisitMessage } from "../../core/model/widget-visit.ts";
import { withFileLinks, type LinkDeps } from "../media/links.ts";

/** Messages with links to their stored files. A link lives as long as one of the Dashboard. */
export function withVisitLinks(
  deps: LinkDeps,
  accountId: number,
  messages: readonly VisitMessage[],
): VisitMessage[] {
  const actor = { type: "contact", accountId } as const;
  return messages.map((message) =>
    message.attachments.length === 0
      ? message
      : { ...message, attachments: withFileLinks(deps, actor, message.attachments) },
  );
}
