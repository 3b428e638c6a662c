import type { VisitMessage } from "../../core/model/widget-visit.ts";
import { withFileLinks, type LinkDeps } from "../media/links.ts";

/**
 * Messages with links to their stored files, on the origin of the panel: the files of no other
 * origin show there. A link lives as long as one of the Dashboard.
 */
export function withVisitLinks(
  { config, secretBox }: LinkDeps,
  accountId: number,
  messages: readonly VisitMessage[],
): VisitMessage[] {
  const actor = { type: "contact", accountId } as const;
  const own = { secretBox, config: { ...config, publicUrl: config.widgetUrl } };
  return messages.map((message) =>
    message.attachments.length === 0
      ? message
      : { ...message, attachments: withFileLinks(own, actor, message.attachments) },
  );
}
