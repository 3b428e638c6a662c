import { Account } from "./account.ts";
import { ApiKey } from "./api-key.ts";
import { AuditEntry } from "./audit-entry.ts";
import { ChannelAccount } from "./channel-account.ts";
import { Contact, ContactIdentity, ContactTag } from "./contact.ts";
import { Delivery, DeliveryAttempt } from "./delivery.ts";
import { Event } from "./event.ts";
import { IdempotencyKey } from "./idempotency-key.ts";
import { Installation } from "./installation.ts";
import { Notification, NotificationRead } from "./notification.ts";
import { OutboxRow } from "./outbox-row.ts";
import { Subscription, SubscriptionSecret } from "./subscription.ts";
import { Membership, Session, User } from "./user.ts";
import { WorkerHeartbeat } from "./worker-heartbeat.ts";

/** Every table. */
export const entities = [
  Account,
  ApiKey,
  AuditEntry,
  ChannelAccount,
  Contact,
  ContactIdentity,
  ContactTag,
  Delivery,
  DeliveryAttempt,
  Event,
  IdempotencyKey,
  Installation,
  Membership,
  Notification,
  NotificationRead,
  OutboxRow,
  Session,
  Subscription,
  SubscriptionSecret,
  User,
  WorkerHeartbeat,
];
