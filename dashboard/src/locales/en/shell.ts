/** The frame around every page. */
export const shell = {
  nav: {
    pages: "Pages",
    open: "Open the menu",
    close: "Close the menu",
    fold: "Fold the sidebar",
    unfold: "Unfold the sidebar",
    inbox: "Inbox",
    contacts: "Contacts",
    pipelines: "Pipelines",
    appointments: "Appointments",
    webhooks: "Webhooks",
    inbound: "Inbound",
    api_keys: "API keys",
    users: "People",
    profile: "Your profile",
    notifications: "Notifications",
    settings: "Settings",
    system: "System",
  },
  palette: {
    placeholder: "Search or jump to…",
    nothing: "Nothing found",
    searching: "Searching contacts and conversations…",
    light: "Use the light theme",
    dark: "Use the dark theme",
    language: "Cambiar a español",
  },
  theme: { title: "Theme", auto: "Like the system", light: "Light", dark: "Dark" },
  account: {
    menu: "Your menu",
    accounts: "Accounts",
    logout: "Log out",
    logout_failed: "You are still logged in",
    switch_failed: "You are still in this account",
  },
  live: { cut: "Reconnecting…" },
  bell: {
    title: "Notifications",
    label_one: "Notifications: {{count}} unread",
    label_other: "Notifications: {{count}} unread",
    empty:
      "Nothing yet. Deliveries that fail and conversations that wait for a person appear here.",
    read_all: "Mark all as read",
    unread: "Unread",
    see_all: "See all",
    not_marked: "Nothing was marked as read",
  },
  error_class: {
    timeout: "no answer in time",
    dns_error: "host name not found",
    blocked_destination: "address not allowed",
    connection_refused: "connection refused",
    connection_reset: "connection broken off",
    connection_failed: "no connection",
    tls_error: "certificate or encryption failed",
    invalid_response: "answer is no HTTP",
  },
  notification: {
    somebody: "A customer",
    colleague: "A colleague",
    no_answer: "no answer was recorded",
    delivery_discarded: {
      title: "{{event}} to {{subscription}} was discarded",
      body: "All {{attempts}} attempts failed; the last one: {{answer}}. The event stays in the delivery log.",
    },
    delivery_exhausted_warning: {
      title: "{{subscription}} has failed all attempts of {{event}}",
      body: "Last attempt: {{answer}}. Fix the endpoint, then choose “Retry now” on the delivery.",
    },
    subscription_disabled: {
      title: "{{subscription}} was disabled",
      body: "Its receiver only fails. New events are skipped; mend the receiver, then enable it again.",
    },
    calendar_disconnected: {
      title: "The calendar of {{resource}} is disconnected",
      body: "We can no longer write to it, so appointments do not appear there. Connect it again.",
    },
    message_received: {
      title: "{{customer}} wrote to you",
      body: "The conversation is assigned to you. Open it and answer.",
    },
    conversation_assigned: {
      title: "{{colleague}} assigned you a conversation",
      body: "You attend the conversation with {{customer}} now.",
    },
    mentioned: {
      title: "{{colleague}} mentioned you in a note",
      body: "The note is in the conversation with {{customer}}.",
    },
    appointment_booked: {
      title: "{{customer}} booked an appointment",
      body: "With {{resource}}. Open the calendar to see the time.",
    },
    conversation_handed_off: {
      title: "{{customer}} needs a person",
      body: "The AI agent is paused there. Open the conversation and answer.",
    },
    handoff_reminder: {
      title: "{{customer}} is still waiting for a person",
      body: "Nobody has answered since the AI agent was paused.",
    },
    handoff_escalation: {
      title: "{{customer}} was left without an answer",
      body: "The people who attend it were reminded. Answer it, or assign it to someone else.",
    },
  },
};
