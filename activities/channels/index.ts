import type { ChannelDriver } from "../../core/model/channels.ts";
import type { Graph } from "./graph.ts";
import { createMetaChannel, type LinkFile } from "./meta.ts";
import type { ChannelPort } from "./port.ts";
import { sandboxChannel } from "./sandbox.ts";
import { webChannel } from "./web.ts";

/** Channel ports by the driver of the channel account. */
export function createChannelPorts(
  graph: Graph,
  linkFile: LinkFile,
): Readonly<Record<ChannelDriver, ChannelPort>> {
  const meta = createMetaChannel(graph, linkFile);
  return {
    sandbox: sandboxChannel,
    web: webChannel,
    whatsapp_cloud: meta,
    messenger: meta,
    instagram_page: meta,
    instagram_login: meta,
  };
}
