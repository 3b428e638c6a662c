import type {
  SendMaterial,
  SendResult,
} from "../../core/services/conversations/message-sending.ts";

/** Credentials of a channel in plain text, for one send. */
export interface SendAccess {
  token: string;
  appSecret: string;
}

/**
 * Sends messages to one kind of channel. Never throws for errors of a channel or its provider:
 * those are results. The result is `unknown` if the message may have left and no answer came.
 */
export interface ChannelPort {
  /**
   * @param access null for a channel without credentials
   * @param beginBy by `performance.now()`. A message that has not begun to leave by then stays, and the
   * result is `transient`.
   */
  send(material: SendMaterial, access: SendAccess | null, beginBy: number): Promise<SendResult>;
}
