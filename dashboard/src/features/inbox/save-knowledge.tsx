import { useQuery } from "@tanstack/react-query";
import { maskPersonal } from "../../../../core/model/mask.ts";
import type { MessageView } from "../../../../core/model/message.ts";
import { ItemModal } from "../../components/agent/item-modal.tsx";
import { useColleagueName } from "../../lib/team.ts";
import { conversationQuery } from "./api.ts";
import { useThread } from "./use-thread.ts";

/** Longest question of a knowledge item. */
const maxQuestionLength = 500;

interface SaveKnowledgeProps {
  /** A person's reply with a text. */
  reply: MessageView;
  onClose: () => void;
}

/** Dialog that saves a person's reply as the answer to the customer's last question before it. */
export function SaveKnowledge({ reply, onClose }: SaveKnowledgeProps) {
  const contact = useQuery(conversationQuery(reply.conversation_id)).data?.contact;
  const author = useColleagueName(reply.sender_user_id);
  const { messageRows } = useThread(reply.conversation_id);
  if (contact === undefined) return null;
  const asked = messageRows.find(
    ({ id, direction, content }) => id < reply.id && direction === "inbound" && content !== null,
  );
  const masked = (text: string | null | undefined): string =>
    maskPersonal(text ?? "", [contact.name, author]);
  const question = masked(asked?.content).slice(0, maxQuestionLength);
  const draft = { question, answer: masked(reply.content) };
  return <ItemModal item={null} draft={draft} onClose={onClose} />;
}
