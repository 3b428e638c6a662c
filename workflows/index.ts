export { cancelDeliveries } from "./cancel-deliveries.ts";
export { deliverWebhook } from "./deliver-webhook.ts";
export { eraseContact } from "./erase-contact.ts";
export { handoff } from "./handoff.ts";
export { holdDeliveries } from "./hold-deliveries.ts";
export { purge } from "./purge.ts";
export { resumeDeliveries } from "./resume-deliveries.ts";
export { sendMessage } from "./send-message.ts";
