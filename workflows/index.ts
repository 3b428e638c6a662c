export { cancelDeliveries } from "./cancel-deliveries.ts";
export { deliverWebhook } from "./deliver-webhook.ts";
export { eraseContact } from "./erase-contact.ts";
export { handoff } from "./handoff.ts";
export { purge } from "./purge.ts";
export { sendMessage } from "./send-message.ts";
