import type { ChannelDriver } from "../../core/model/channels.ts";
import type { ChannelPort } from "./port.ts";
import { sandboxChannel } from "./sandbox.ts";

/** Channel ports by the driver of the channel account. */
export const channelPorts: Readonly<Record<ChannelDriver, ChannelPort>> = {
  sandbox: sandboxChannel,
};
