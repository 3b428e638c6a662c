import { ApiError } from "../../lib/api.ts";
import type { Conversation } from "./api.ts";
import {
  changeAttachments,
  takeAttachments,
  useAttachments,
  type Attachment,
} from "../../lib/attachments.ts";
import { useReply } from "./use-reply.ts";

/** A text that is taken from its draft, and returns there where it does not arrive. */
interface Caption {
  text: string;
  settle: (arrived: boolean) => void;
}

/** Files of a reply. `isReady` is false until each is stored. */
export interface Attached {
  /** Key of the draft. */
  key: string;
  channel: string;
  files: readonly Attachment[];
  isReady: boolean;
  /** Sends all files, the caption with the first. Each is a message of its own. */
  send: (caption: Caption | undefined) => void;
}

/**
 * Files of the draft under a key, with the send of their messages. A file that could not be sent
 * returns to the draft.
 */
export function useAttached(conversation: Conversation, key: string): Attached {
  const files = useAttachments(key);
  const reply = useReply(conversation);
  const send = (caption: Caption | undefined): void => {
    for (const [index, one] of takeAttachments(key).entries()) {
      const words = index === 0 ? caption : undefined;
      const file = {
        type: one.kind,
        upload_id: one.uploadId ?? 0,
        ...(words !== undefined && { content: words.text }),
        shown: one.file,
      };
      reply.mutateAsync({ external_id: one.id, file }).then(
        () => words?.settle(true),
        (error: unknown) => {
          words?.settle(false);
          changeAttachments(key, (now) => [...now, returned(one, error)]);
        },
      );
    }
  };
  const isReady = files.every(({ uploadId }) => uploadId !== null);
  return { key, channel: conversation.channel, files, isReady, send };
}

/** The server deletes an upload that nobody sends for a day. Its bytes are still here. */
function returned(file: Attachment, error: unknown): Attachment {
  const isGone = error instanceof ApiError && error.code === "upload_unavailable";
  return isGone ? { ...file, uploadId: null, error: error.message } : file;
}
