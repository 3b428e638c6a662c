import { useQuery } from "@tanstack/react-query";
import { QueryState } from "../../components/load-states.tsx";
import { templatesQuery, type Conversation } from "./api.ts";
import { TemplateByName } from "./template-by-name.tsx";
import { TemplatePicker } from "./template-picker.tsx";

interface TemplateFormProps {
  conversation: Conversation;
  onSent: () => void;
}

/** Form for a template: chosen from the channel's list, or by its name where there is no list. */
export function TemplateForm({ conversation, onSent }: TemplateFormProps) {
  const query = useQuery(templatesQuery(conversation.id, ""));
  return (
    <QueryState query={query} rows={2}>
      {({ meta }) =>
        meta.sync.state === "none" ? (
          <TemplateByName conversation={conversation} onSent={onSent} />
        ) : (
          <TemplatePicker conversation={conversation} onSent={onSent} />
        )
      }
    </QueryState>
  );
}
