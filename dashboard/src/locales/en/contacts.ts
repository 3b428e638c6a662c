/** Contacts: the list and the page of one. */
export const contacts = {
  contacts: {
    title: "Contacts",
    text: "Everybody your account knows, newest first.",
    tag: "Tag",
    add: "New contact",
    add_text:
      "With a phone, an email or both. Where a contact has them already, that one is updated.",
    empty: "Nobody is here yet",
    empty_text: "Contacts appear by themselves as customers write. You can also add one.",
    no_match: "No contact fits",
    no_match_text: "Search for a part of a name, an email or a phone, or another tag.",
    known_as: "Known to channels as",
    conversations: "Conversations",
    no_conversations: "No conversation yet.",
    stages: "Pipelines",
    no_stages: "In no pipeline.",
    appointments: "Appointments",
    no_appointments: "No appointment yet.",
    merge: "Merge",
    merge_title: "Merge {{name}} into another contact",
    merge_text:
      "The other contact gets the conversations, appointments, tags and channels of this one, and what it lacks itself. This one is gone then; that cannot be undone.",
    merge_into: "The contact that stays",
    merged: "Merged; this is the contact that stays.",
    not_merged: "Both contacts stay as before",
    erase: "Erase",
    erase_title: "Erase {{name}}?",
    erase_text: "The person is erased for good. Nobody can bring this back:",
    erase_kept:
      "Conversations, messages, notes, appointments, tags and stages go; only counts stay in the delivery log.",
    erase_deliveries: "Webhook deliveries about the person that are still open are cancelled.",
    erase_receivers: "What your own systems were sent already stays there; erase it there too.",
    erase_submit: "Erase for good",
    erased: "The contact is erased.",
    not_erased: "The contact stays as before",
  },
};
