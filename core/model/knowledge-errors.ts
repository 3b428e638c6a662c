/** The part of the error catalogue for the knowledge of the AI agent. */
export const knowledgeErrors = {
  knowledge_gap_not_found: { status: 404, message: "There is no open gap with this id." },
  knowledge_item_not_found: { status: 404, message: "There is no knowledge item with this id." },
  knowledge_source_not_found: {
    status: 404,
    message: "There is no page or file of the knowledge with this id.",
  },
} as const;
