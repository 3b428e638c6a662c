import type { ChannelDriver } from "../../core/model/channels.ts";
import type { ChannelPort } from "./port.ts";
import { receiveOnlyChannel } from "./receive-only.ts";
import { sandboxChannel } from "./sandbox.ts";

/** Channel ports by the driver of the channel account. */
export const channelPorts: Readonly<Record<ChannelDriver, ChannelPort>> = {
  sandbox: sandboxChannel,
  whatsapp_cloud: receiveOnlyChannel,
  messenger: receiveOnlyChannel,
  instagram_page: receiveOnlyChannel,
  instagram_login: receiveOnlyChannel,
};
