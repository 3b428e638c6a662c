import { z } from "zod";
import { restChannel } from "../../core/model/channels.ts";
import { contactView } from "../../core/model/contact.ts";
import { conversationStatuses } from "../../core/model/conversation.ts";
import { stageView } from "../../core/model/pipeline.ts";
import { contactSources } from "../../core/model/principal.ts";
import { recordId, timestamp } from "../../core/model/wire.ts";

/** A contact with all that the Dashboard shows beside it. */
export const contactCard = contactView.extend({
  has_name: z.boolean().describe("False where `name` shows something else for want of one."),
  instagram_id: z.string().nullable(),
  facebook_id: z.string().nullable(),
  source: z.enum([...contactSources, "import"]).describe("Where the contact comes from."),
  identities: z
    .array(
      z.strictObject({
        id: recordId,
        channel: restChannel,
        external_id: z.string(),
        created_at: timestamp,
      }),
    )
    .describe("How the channels know the contact, newest first."),
  stages: z
    .array(stageView.extend({ moved_at: timestamp }))
    .describe("Where the contact stands in pipelines, the one it was moved in last first."),
  conversations: z
    .array(
      z.strictObject({
        id: recordId,
        channel: restChannel,
        status: z.enum(conversationStatuses),
        last_message_at: timestamp,
      }),
    )
    .describe("The 100 newest."),
});
