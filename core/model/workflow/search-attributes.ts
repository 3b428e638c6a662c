// Workflow code runs this file, so it imports nothing.

/** Search attributes of runs in Temporal UI, with Temporal's type of each. */
export const searchAttributes = {
  AccountId: "KEYWORD",
  SubscriptionId: "KEYWORD",
  EventType: "KEYWORD",
  ConversationId: "KEYWORD",
  AppointmentId: "KEYWORD",
  DeliveryState: "KEYWORD",
  Attempt: "INT",
  NextAttemptAt: "DATETIME",
} as const;
