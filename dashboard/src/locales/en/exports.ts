/** Exports of lists and of one contact. */
export const exporting = {
  exports: {
    action: "Export",
    title: {
      contacts: "Export contacts",
      contact: "Export this contact",
      appointments: "Export appointments",
      deliveries: "Export deliveries",
    },
    contact_menu: "Export data",
    not_started: "Nothing was exported",
    working: "The file is being written",
    rows_one: "{{total}} row so far",
    rows_other: "{{total}} rows so far",
    leave: "You may close this dialog. A second export starts over.",
    ready: "The file is ready",
    holds_one: "It has {{total}} row.",
    holds_other: "It has {{total}} rows.",
    holds_contact: "It has the contact's data and media.",
    until: "The link works for 24 hours, and for you alone.",
    download: "Download",
    failed: "The export failed",
    failed_text: "No file was written. Try again.",
    expired: "The link has expired. Export again.",
  },
};
