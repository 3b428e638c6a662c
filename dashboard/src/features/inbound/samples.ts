import { inboundActions, type EndpointKind } from "../../../../core/model/inbound.ts";
import { voiceActions } from "../../../../core/model/voice.ts";

interface ActionSample {
  event: string;
  sample: (now: number) => object;
}

/** Actions of each kind of endpoint, in the order of the documentation. */
export const actionsOf: Record<EndpointKind, readonly [ActionSample, ...ActionSample[]]> = {
  inbound: inboundActions,
  voice: voiceActions,
};

/** Example body as JSON. @param now milliseconds since 1970 */
export function sampleBody({ event, sample }: ActionSample, now: number): string {
  return JSON.stringify({ event, data: sample(now) });
}
