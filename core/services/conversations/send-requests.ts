import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { isMetaDriver } from "../../model/channels.ts";
import { sendPartition } from "../../model/partition-key.ts";
import type { SendMessageInput } from "../../model/workflow/sending.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { request } from "../outbox/outbox.ts";

/** Columns of a message that name its run. */
type RunOfMessage = Pick<Message, "id" | "accountId" | "channel" | "conversationId">;

/** Columns that tell in which way a message leaves. */
export type RequestedMessage = RunOfMessage &
  Pick<Message, "type" | "attachmentCount" | "channelAccountId">;

/** Command that starts the workflow of a message. */
export function sendCommand({
  id,
  accountId,
  channel,
  conversationId,
}: RunOfMessage): WorkflowCommand {
  return {
    op: "start",
    workflow: "sendMessage",
    workflowId: `message-${id}`,
    taskQueue: "conversations",
    input: { accountId, messageId: id, inTask: true } satisfies SendMessageInput,
    summary: `message ${id} over ${channel}`,
    conversationId,
  };
}

/**
 * Requests that a message leaves once this transaction has committed. A relay that is behind may hand
 * a text to its network itself. Files and templates may need further steps, and the sandbox reports
 * later, so those always get their workflow.
 * @param isRestart a run of the message that has ended does not prevent the next one
 */
export async function requestSend(
  tx: Tx,
  message: RequestedMessage,
  { driver }: Pick<ChannelAccount, "driver">,
  { isRestart = false }: { isRestart?: boolean } = {},
): Promise<void> {
  const { accountId, channelAccountId, type, attachmentCount } = message;
  const isText = (type === "text" || type === "interactive") && attachmentCount === 0;
  const command = { ...sendCommand(message), ...(isRestart && ({ again: true } as const)) };
  if (isText && isMetaDriver(driver)) {
    await request(tx, command, sendPartition(accountId, channelAccountId));
  } else await request(tx, command);
}
