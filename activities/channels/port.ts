import type {
  SendMaterial,
  SendResult,
} from "../../core/services/conversations/message-sending.ts";

/**
 * Sends messages to one kind of channel. Never throws for errors of a channel or its provider:
 * those are results. The result is `unknown` if the message may have left and no answer came.
 */
export interface ChannelPort {
  send(material: SendMaterial): Promise<SendResult>;
}
