import type { Conversation, ListedTemplate } from "./api.ts";
import type { HeadingFile } from "./template-file.tsx";
import { useDraftKey } from "./use-draft-key.ts";
import { useFormDraft } from "./use-form-draft.ts";

/** A template that a person fills in. An empty text is no value. */
interface TemplateDraft {
  /** Null while the person chooses one. */
  template: ListedTemplate | null;
  /** Values by field of the form. */
  values: Record<string, string>;
  file: HeadingFile | null;
}

/** A template of the provider, by its name. Null where the person has typed nothing yet. */
interface NamedDraft {
  values: { name: string; language: string; params: string } | null;
}

const chosenForm = {
  empty: { template: null, values: {}, file: null } satisfies TemplateDraft,
  contentOf: ({ template, values, file }: TemplateDraft) => ({
    id: template?.id,
    // A field that nobody has touched is in the form and not in the stored draft.
    values: Object.entries(values).filter(([, value]) => value !== ""),
    file: file?.uploadId,
  }),
};

const namedForm = {
  empty: { values: null } satisfies NamedDraft,
  contentOf: ({ values }: NamedDraft) => values,
};

/** The begun template of a conversation, chosen from the list of its channel. */
export function useTemplateDraft({ id }: Conversation) {
  return useFormDraft<TemplateDraft>(useDraftKey(id, "template"), chosenForm);
}

/** The begun template of a conversation whose channel has no list. */
export function useNamedDraft({ id }: Conversation) {
  return useFormDraft<NamedDraft>(useDraftKey(id, "named_template"), namedForm);
}
