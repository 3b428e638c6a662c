import { Account } from "./account.ts";
import { AgentProfile, AgentProvider, AgentVersion } from "./agent.ts";
import { AgentDraft } from "./agent-draft.ts";
import { AgentCase } from "./agent-case.ts";
import { AgentRating } from "./agent-rating.ts";
import { AgentConversation, AgentStep, AgentToolCall, AgentTurn } from "./agent-turn.ts";
import { ApiKey } from "./api-key.ts";
import { Appointment, AppointmentReschedule } from "./appointment.ts";
import { AppointmentReminder } from "./appointment-reminder.ts";
import { AuditEntry } from "./audit-entry.ts";
import { Booking, BookingLink, BookingSlug } from "./booking-link.ts";
import { CalendarFeed } from "./calendar-feed.ts";
import { CalendarConnection } from "./calendar-connection.ts";
import { CalendarConsent } from "./calendar-consent.ts";
import { CalendarEventRow, CalendarLink } from "./calendar-link.ts";
import { BusyBlock, CalendarChange, CalendarChannel } from "./calendar-read.ts";
import { CalendarSync } from "./calendar-sync.ts";
import {
  CalendlyAccount,
  CalendlyEventType,
  CalendlyInviteeRow,
  CalendlyRequest,
  CalendlyUser,
} from "./calendly.ts";
import { CannedAnswer } from "./canned-answer.ts";
import { Change, ChangeSequence } from "./change.ts";
import { ChannelAccount } from "./channel-account.ts";
import {
  ChannelAccountToken,
  ChannelApp,
  ChannelAppField,
  ChannelAppSecret,
} from "./channel-app.ts";
import { ChannelItem, ChannelWebhook } from "./channel-intake.ts";
import { ChannelTemplate, ChannelTemplateSync } from "./channel-template.ts";
import { Contact, ContactIdentity, ContactTag } from "./contact.ts";
import { ContactErasure } from "./contact-erasure.ts";
import { Conversation, ConversationNote } from "./conversation.ts";
import { Delivery, DeliveryAttempt } from "./delivery.ts";
import { Event } from "./event.ts";
import { Export } from "./export.ts";
import { IdempotencyKey } from "./idempotency-key.ts";
import { SavedInboxView } from "./inbox-view.ts";
import { BusyProcess, Import, ImportRow, ImportTurn } from "./import.ts";
import {
  InboundEndpoint,
  InboundEndpointSecret,
  InboundEvent,
  InboundRequest,
} from "./inbound-endpoint.ts";
import { Installation } from "./installation.ts";
import { KnowledgeGap, KnowledgeItem, KnowledgeSource } from "./knowledge.ts";
import { Macro } from "./macro.ts";
import { Mail } from "./mail.ts";
import { MediaUpload } from "./media-upload.ts";
import { Message, MessageProviderId, MessageReaction } from "./message.ts";
import { MessageMedia } from "./message-media.ts";
import { Notification, NotificationPreferenceRow, NotificationRead } from "./notification.ts";
import { OutboxRow } from "./outbox-row.ts";
import { ContactPlacement, ContactStage, Pipeline, PipelineStage } from "./pipeline.ts";
import { ProcessPresence } from "./process-presence.ts";
import { Replay } from "./replay.ts";
import { Resource, ResourceClosure, Service, ServiceResource } from "./resource.ts";
import { Subscription, SubscriptionSecret } from "./subscription.ts";
import { SubscriptionHealth } from "./subscription-health.ts";
import { Membership, Session, User } from "./user.ts";
import { UserLink } from "./user-link.ts";
import { Widget, WidgetSecret, WidgetSession, WidgetUpload } from "./widget.ts";
import { WorkerHeartbeat } from "./worker-heartbeat.ts";

/** Every table. */
export const entities = [
  Account,
  AgentConversation,
  AgentDraft,
  AgentProfile,
  AgentProvider,
  AgentCase,
  AgentRating,
  AgentStep,
  AgentToolCall,
  AgentTurn,
  AgentVersion,
  ApiKey,
  AppointmentReminder,
  Appointment,
  AppointmentReschedule,
  AuditEntry,
  Booking,
  BookingLink,
  BookingSlug,
  BusyBlock,
  BusyProcess,
  CalendarChange,
  CalendarChannel,
  CalendarConnection,
  CalendarFeed,
  CalendarConsent,
  CalendarEventRow,
  CalendarLink,
  CalendarSync,
  CalendlyAccount,
  CalendlyUser,
  CalendlyEventType,
  CalendlyRequest,
  CalendlyInviteeRow,
  CannedAnswer,
  Change,
  ChangeSequence,
  ChannelAccount,
  ChannelAccountToken,
  ChannelApp,
  ChannelAppField,
  ChannelAppSecret,
  ChannelItem,
  ChannelTemplate,
  ChannelTemplateSync,
  ChannelWebhook,
  Contact,
  ContactErasure,
  ContactIdentity,
  ContactPlacement,
  ContactStage,
  ContactTag,
  Conversation,
  ConversationNote,
  Delivery,
  DeliveryAttempt,
  Event,
  Export,
  IdempotencyKey,
  Import,
  ImportRow,
  ImportTurn,
  InboundEndpoint,
  InboundEndpointSecret,
  InboundEvent,
  InboundRequest,
  Installation,
  KnowledgeGap,
  KnowledgeItem,
  KnowledgeSource,
  Macro,
  Mail,
  MediaUpload,
  Membership,
  Message,
  MessageMedia,
  MessageProviderId,
  MessageReaction,
  Notification,
  NotificationPreferenceRow,
  NotificationRead,
  OutboxRow,
  Pipeline,
  PipelineStage,
  ProcessPresence,
  Replay,
  Resource,
  ResourceClosure,
  SavedInboxView,
  Service,
  ServiceResource,
  Session,
  Subscription,
  SubscriptionHealth,
  SubscriptionSecret,
  User,
  UserLink,
  Widget,
  WidgetSecret,
  WidgetSession,
  WidgetUpload,
  WorkerHeartbeat,
];
