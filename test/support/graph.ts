import { createGraph } from "../../activities/channels/graph.ts";

const nowhere = "http://127.0.0.1:9";

/** For work that has to do with no channel of Meta: the Graph API is unreachable. */
export const noGraph = createGraph({ graphUrl: nowhere, instagramUrl: nowhere, version: "v26.0" });
