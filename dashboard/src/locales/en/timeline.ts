/** Timeline of a contact. */
export const timeline = {
  timeline: {
    title: "Timeline",
    empty: "Nothing has happened yet.",
    older: "Show older events",
    kept: "Events are kept for {{days}} days; conversations and appointments stay.",
    from: "Source: {{who}}",
    event: {
      message: { received: "The customer wrote", sent: "Message sent" },
      conversation: {
        created: "Conversation opened",
        updated: "Status changed",
        closed: "Conversation resolved",
        bot: { enabled: "AI agent turned on", disabled: "AI agent paused" },
        stage_changed: "Moved to another stage",
      },
      contact: { created: "Contact created", updated: "Contact changed" },
      appointment: {
        created: "Appointment booked",
        rescheduled: "Appointment moved",
        cancelled: "Appointment cancelled",
      },
      test: { ping: "Test" },
    },
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
