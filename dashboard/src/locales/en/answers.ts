/** Lists above the composer: canned answers and members. */
export const answers = {
  answers: {
    title: "Canned answers",
    members: "Mention a colleague",
    keys: "Enter inserts, Tab previews",
    member_keys: "Enter inserts",
    none: "No canned answers yet.",
    create_first: "Create the first one in Settings",
    looking_one: "{{name}} is looking at this",
    looking_other: "{{name}} are looking at this",
    typing_one: "{{name}} is typing…",
    typing_other: "{{name}} are typing…",
    somebody: "A colleague",
    macros: "Run a macro",
    macro_done: "Ran “{{name}}”",
    macro_failed: "“{{name}}” was not run",
    macro_step_failed: "Step {{step}} of “{{name}}” cannot run",
    former_member: "former member",
  },
  emoji: {
    title: "Emoji",
    search: "Search emoji",
    none: "No emoji found",
    skin_tone: "Skin tone",
  },
};
