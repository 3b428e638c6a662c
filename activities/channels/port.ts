import type {
  SendMaterial,
  SendResult,
} from "../../core/services/conversations/message-sending.ts";

/**
 * What carries messages to one kind of channel. It never throws for what a channel or its provider
 * does: that is a result. `unknown` where the message may have left and no answer came.
 */
export interface ChannelPort {
  send(material: SendMaterial): Promise<SendResult>;
}
