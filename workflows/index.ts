export { cancelDeliveries } from "./cancel-deliveries.ts";
export { deliverWebhook } from "./deliver-webhook.ts";
