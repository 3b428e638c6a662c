import type { ChannelCheckDetails } from "../../../../core/model/channel-setup.ts";
import { ApiError } from "../../lib/api.ts";

const codes = ["channel_check_failed", "channel_mismatch"];

/** The failed step of a check with Meta's words; null for any other error. */
export function checkDetails(error: unknown): ChannelCheckDetails | null {
  if (!(error instanceof ApiError) || !codes.includes(error.code)) return null;
  return error.details as ChannelCheckDetails;
}
