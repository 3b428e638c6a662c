import type { SendMessageInput, SendOutcome } from "../core/model/workflow/sending.ts";
import { openChannelAccess } from "../core/services/channels/channel-access.ts";
import { reportChannelTrouble } from "../core/services/channels/channel-state.ts";
import {
  beginUpload,
  completeUpload,
  type UploadMaterial,
  type UploadResult,
} from "../core/services/conversations/message-uploads.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { SendAccess } from "./channels/port.ts";
import { uploadToMeta } from "./channels/upload-file.ts";
import type { ActivityDeps } from "./deps.ts";
import { retryFor } from "./retry-for.ts";
import { findDanger } from "./send-message.ts";
import { withHeartbeats } from "./with-heartbeats.ts";

/** Time limit to store the outcome. After that the file is uploaded again. */
const completionMs = 40_000;

const gone = {
  code: "media_unavailable",
  message: "The file is no longer stored. Send it again.",
  provider_code: null,
};
const noStorage = { kind: "transient", scope: "provider", waitMs: 0, providerCode: null } as const;

/** The step that gives a file to its network. It may run twice: customers see no upload. */
export function createUploadFile(deps: ActivityDeps) {
  const { dataSource, secretBox, log } = deps;
  return {
    /** Gives the file of a message to its network once. The next hand-over sends it. */
    async uploadToChannel(input: SendMessageInput): Promise<SendOutcome> {
      const options = systemOf(input.accountId);
      const start = await transaction(dataSource, options, async (tx) => {
        const begun = await beginUpload(tx, input);
        if ("outcome" in begun) return begun;
        const { channelAccountId } = begun.material.message;
        return { ...begun, access: await openChannelAccess(tx, secretBox, channelAccountId) };
      });
      if ("outcome" in start) return start.outcome;
      const { material, access } = start;
      const result = await withHeartbeats(() => upload(deps, material, access));
      const outcome = await retryFor(
        () =>
          transaction(dataSource, options, async (tx) => {
            const completed = await completeUpload(tx, input, material, result);
            const danger = result.kind === "uploaded" ? null : findDanger(result);
            const { channelAccountId } = material.message;
            if (danger !== null) await reportChannelTrouble(tx, channelAccountId, danger);
            return completed;
          }),
        completionMs,
      );
      const facts = { message_id: input.messageId, media_id: material.file.id };
      log.info({ ...facts, result: result.kind, state: outcome.state }, "media.uploaded");
      return outcome;
    },
  };
}

async function upload(
  { graph, media }: ActivityDeps,
  material: UploadMaterial,
  access: SendAccess | null,
): Promise<UploadResult> {
  const { storageKey } = material.file;
  if (storageKey === null) return noStorage;
  const content = await media.storage.get(storageKey).catch(() => undefined);
  if (content === undefined) return noStorage;
  if (content === null) return { kind: "permanent", error: gone };
  try {
    return await uploadToMeta(graph, material, access, content);
  } finally {
    content.destroy();
  }
}
