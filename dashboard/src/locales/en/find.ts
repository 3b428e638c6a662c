/** Search in a conversation, its days, and the files of a contact. */
export const find = {
  find: {
    field: "Search this conversation",
    count: "{{place}} of {{count}}",
    count_more: "{{place}} of {{count}}+",
    none: "No message has these words",
    searching: "Searching…",
    older: "Previous match",
    newer: "Next match",
    close: "Close the search",
    newer_messages: "Newer messages",
    to_newest: "Jump to newest",
    day: "Go to a day",
  },
  files: {
    title: "Files",
    all: "All",
    image: "Pictures",
    video: "Videos",
    document: "Documents",
    audio: "Audio",
    kind: "Kind of file",
    none: "No files here.",
    more: "Older files",
    open: "Show in the conversation",
    referral: "Came from",
  },
};
