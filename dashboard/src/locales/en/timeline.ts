/** Timeline of a contact. */
export const timeline = {
  timeline: {
    title: "Timeline",
    empty: "Nothing has happened yet.",
    older: "Show older events",
    kept: "Events are kept for {{days}} days; conversations and appointments stay.",
    from: "Source: {{who}}",
    field: {
      name: "Name",
      phone: "Phone",
      email: "Email",
      tags: "Tags",
      whatsapp_id: "WhatsApp",
      instagram_id: "Instagram",
      facebook_id: "Messenger",
    },
  },
};
