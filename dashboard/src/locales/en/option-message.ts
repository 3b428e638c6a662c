/** A message with options, and the menu of the composer that leads to it. */
export const optionMessage = {
  option_message: {
    menu: "More kinds of messages",
    title: "Message with options",
    body: "Message",
    body_text: "The question that the options answer.",
    kind: "Kind",
    kind_text:
      "Web chat draws the kind. On other channels their limits decide, and your programs read the kind.",
    kinds: { buttons: "Buttons", list: "List", cards: "Cards" },
    options: "Options",
    option: "Option {{number}}",
    description: "Description of option {{number}}",
    description_hint: "Description (optional)",
    add: "Add an option",
    remove: "Remove option {{number}}",
    limits: "What this channel shows",
    limit: {
      buttons:
        "Buttons: up to {{options}} options with titles of {{title}} characters, no descriptions, and a message of {{body, number}} characters.",
      list: "A list: up to {{options}} options with titles of {{title}} characters and descriptions of {{description}}.",
      quick_replies:
        "Quick replies: up to {{options}} options with titles of {{title}} characters. Descriptions stand in the message.",
      text: "Numbered lines: everything else. The customer answers with a number.",
      web: "Web chat shows each kind, with up to {{options}} options, titles of {{title}} characters and descriptions of {{description}}.",
      only_text: "Numbered lines. The customer answers with a number.",
    },
    form: {
      buttons: "Goes as buttons",
      list: "Goes as a list",
      quick_replies: "Goes as quick replies",
      text: "Goes as numbered lines",
    },
    excess: {
      options: "more than {{max}} options",
      title: "a title is longer than {{max}} characters",
      description: "a description is longer than {{max}} characters",
      described: "an option has a description",
      body: "the message is longer than {{max}} characters",
    },
    because: "{{form}}: {{reasons}}.",
    preview: "Preview",
    preview_empty: "Write the message and an option to see them here.",
    no_title: "Give the option a title.",
    same_title: "Another option has this title.",
    too_long: "The channel takes {{count, number}} {{unit}} at most, with all options.",
    unit: { characters: "characters", bytes: "bytes" },
  },
};
