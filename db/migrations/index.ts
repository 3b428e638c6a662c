import { Foundation1769000000000 } from "./1769000000000-foundation.ts";
import { Conversations1770000000000 } from "./1770000000000-conversations.ts";
import { InboundEndpoints1770000100000 } from "./1770000100000-inbound-endpoints.ts";
import { UserLinks1770000200000 } from "./1770000200000-user-links.ts";
import { Erasure1770000300000 } from "./1770000300000-erasure.ts";
import { Operations1770000400000 } from "./1770000400000-operations.ts";
import { Retention1770000500000 } from "./1770000500000-retention.ts";
import { Pipelines1771000000000 } from "./1771000000000-pipelines.ts";
import { Appointments1771000100000 } from "./1771000100000-appointments.ts";
import { CalendarConsents1772000700100 } from "./1772000700100-calendar-consents.ts";
import { CalendarConnections1772000700000 } from "./1772000700000-calendar-connections.ts";
import { Calendly1772000720000 } from "./1772000720000-calendly.ts";
import { CalendarFeeds1772000730000 } from "./1772000730000-calendar-feeds.ts";
import { Imports1772000740000 } from "./1772000740000-imports.ts";
import { CalendarWrites1772000745000 } from "./1772000745000-calendar-writes.ts";
import { ImportedMessages1772000750000 } from "./1772000750000-imported-messages.ts";
import { CalendarLinks1771000200000 } from "./1771000200000-calendar-links.ts";
import { BookingLinks1771000250000 } from "./1771000250000-booking-links.ts";
import { VoiceIntegrations1771000300000 } from "./1771000300000-voice-integrations.ts";
import { Reminders1771000310000 } from "./1771000310000-reminders.ts";
import { OutboxRun1771000400000 } from "./1771000400000-outbox-run.ts";
import { RetentionOfSecrets1771000500000 } from "./1771000500000-retention-of-secrets.ts";
import { DeliveryChanges1771000500100 } from "./1771000500100-delivery-changes.ts";
import { OutboxDelivery1771000500200 } from "./1771000500200-outbox-delivery.ts";
import { System1771000610000 } from "./1771000610000-system.ts";
import { InboundVerdicts1771000620000 } from "./1771000620000-inbound-verdicts.ts";
import { AttemptHours1771000630000 } from "./1771000630000-attempt-hours.ts";
import { ContactFilters1771000640000 } from "./1771000640000-contact-filters.ts";
import { ReplayTotals1771000655000 } from "./1771000655000-replay-totals.ts";
import { NoteExternalIds1771000660000 } from "./1771000660000-note-external-ids.ts";
import { AssigneeIndex1771000670000 } from "./1771000670000-assignee-index.ts";
import { SubscriptionHistory1771000680000 } from "./1771000680000-subscription-history.ts";
import { InstallationId1771000710000 } from "./1771000710000-installation-id.ts";
import { LostRuns1771000711000 } from "./1771000711000-lost-runs.ts";
import { ContactErasures1771000720000 } from "./1771000720000-contact-erasures.ts";
import { InboundRefusals1771000721000 } from "./1771000721000-inbound-refusals.ts";
import { ConfirmedEmails1771000730000 } from "./1771000730000-confirmed-emails.ts";
import { Mails1771000731000 } from "./1771000731000-mails.ts";
import { MailPreference1771000732000 } from "./1771000732000-mail-preference.ts";
import { AutoDisable1771000740000 } from "./1771000740000-auto-disable.ts";
import { AnsweredBy1771000741000 } from "./1771000741000-answered-by.ts";
import { CannedAnswers1771000760000 } from "./1771000760000-canned-answers.ts";
import { Macros1771000761000 } from "./1771000761000-macros.ts";
import { NotificationPreferences1771000762000 } from "./1771000762000-notification-preferences.ts";
import { ProcessPresence1771000763000 } from "./1771000763000-process-presence.ts";
import { InboxQueue1771000771000 } from "./1771000771000-inbox-queue.ts";
import { InboxViews1771000772000 } from "./1771000772000-inbox-views.ts";
import { ServiceHues1771000781000 } from "./1771000781000-service-hues.ts";
import { Deals1771000782000 } from "./1771000782000-deals.ts";
import { ContactActivity1771000783000 } from "./1771000783000-contact-activity.ts";
import { BookingSlugs1771000785000 } from "./1771000785000-booking-slugs.ts";
import { Agent1772000000000 } from "./1772000000000-agent.ts";
import { AgentKeys1772000010000 } from "./1772000010000-agent-keys.ts";
import { KnowledgeState1772000020000 } from "./1772000020000-knowledge-state.ts";
import { GapAge1772000030000 } from "./1772000030000-gap-age.ts";
import { AgentDrafts1772000060000 } from "./1772000060000-agent-drafts.ts";
import { AgentCases1772000400000 } from "./1772000400000-agent-cases.ts";
import { Channels1772000500000 } from "./1772000500000-channels.ts";
import { Media1772000550000 } from "./1772000550000-media.ts";
import { OutgoingFiles1772000560000 } from "./1772000560000-outgoing-files.ts";
import { ReadMarks1772000570000 } from "./1772000570000-read-marks.ts";
import { MessageContents1772000510000 } from "./1772000510000-message-contents.ts";
import { Sending1772000520000 } from "./1772000520000-sending.ts";
import { ChannelHealth1772000530000 } from "./1772000530000-channel-health.ts";
import { ChannelTemplates1772000540000 } from "./1772000540000-channel-templates.ts";
import { AgentRatings1772000310000 } from "./1772000310000-agent-ratings.ts";
import { AgentNotices1772000320000 } from "./1772000320000-agent-notices.ts";
import { KnowledgeSources1772000350000 } from "./1772000350000-knowledge-sources.ts";
import { ReopenedTurns1772000360000 } from "./1772000360000-reopened-turns.ts";
import { ItemLanes1772000590000 } from "./1772000590000-item-lanes.ts";
import { ChannelTraffic1772000600000 } from "./1772000600000-channel-traffic.ts";
import { Widgets1772000610000 } from "./1772000610000-widgets.ts";
import { ChangesOfConversations1772000620000 } from "./1772000620000-changes-of-conversations.ts";
import { Visits1772000640000 } from "./1772000640000-visits.ts";
import { SiteContext1772000650000 } from "./1772000650000-site-context.ts";
import { CalendarReads1772000710000 } from "./1772000710000-calendar-reads.ts";
import { Exports1772000765000 } from "./1772000765000-exports.ts";
import { ExportList1772000770000 } from "./1772000770000-export-list.ts";
import { SubscriptionConcurrency1772000771000 } from "./1772000771000-subscription-concurrency.ts";
import { Doorbells1772000773000 } from "./1772000773000-doorbells.ts";
import { SubscriptionVersions1772000774000 } from "./1772000774000-subscription-versions.ts";
import { EventsWithoutAccountIndex1772000775000 } from "./1772000775000-events-without-account-index.ts";
import { RetiredIdentifiers1772000776000 } from "./1772000776000-retired-identifiers.ts";
import { AppointmentsById1772000777000 } from "./1772000777000-appointments-by-id.ts";
import { WindowsOfPhones1772000778000 } from "./1772000778000-windows-of-phones.ts";
import { StoredFiles1772000779000 } from "./1772000779000-stored-files.ts";
import { ContactPlacements1772000760000 } from "./1772000760000-contact-placements.ts";

/** Every migration, in order. */
export const migrations = [
  Foundation1769000000000,
  Conversations1770000000000,
  InboundEndpoints1770000100000,
  UserLinks1770000200000,
  Erasure1770000300000,
  Operations1770000400000,
  Retention1770000500000,
  Pipelines1771000000000,
  Appointments1771000100000,
  CalendarLinks1771000200000,
  BookingLinks1771000250000,
  VoiceIntegrations1771000300000,
  Reminders1771000310000,
  OutboxRun1771000400000,
  RetentionOfSecrets1771000500000,
  DeliveryChanges1771000500100,
  OutboxDelivery1771000500200,
  System1771000610000,
  InboundVerdicts1771000620000,
  AttemptHours1771000630000,
  ContactFilters1771000640000,
  ReplayTotals1771000655000,
  NoteExternalIds1771000660000,
  AssigneeIndex1771000670000,
  SubscriptionHistory1771000680000,
  InstallationId1771000710000,
  LostRuns1771000711000,
  ContactErasures1771000720000,
  InboundRefusals1771000721000,
  ConfirmedEmails1771000730000,
  Mails1771000731000,
  MailPreference1771000732000,
  AutoDisable1771000740000,
  AnsweredBy1771000741000,
  CannedAnswers1771000760000,
  Macros1771000761000,
  NotificationPreferences1771000762000,
  ProcessPresence1771000763000,
  InboxQueue1771000771000,
  InboxViews1771000772000,
  ServiceHues1771000781000,
  Deals1771000782000,
  ContactActivity1771000783000,
  BookingSlugs1771000785000,
  Agent1772000000000,
  AgentKeys1772000010000,
  KnowledgeState1772000020000,
  GapAge1772000030000,
  AgentDrafts1772000060000,
  AgentRatings1772000310000,
  AgentNotices1772000320000,
  KnowledgeSources1772000350000,
  ReopenedTurns1772000360000,
  AgentCases1772000400000,
  Channels1772000500000,
  MessageContents1772000510000,
  Sending1772000520000,
  ChannelHealth1772000530000,
  ChannelTemplates1772000540000,
  Media1772000550000,
  OutgoingFiles1772000560000,
  ReadMarks1772000570000,
  ItemLanes1772000590000,
  ChannelTraffic1772000600000,
  Widgets1772000610000,
  ChangesOfConversations1772000620000,
  Visits1772000640000,
  SiteContext1772000650000,
  CalendarConnections1772000700000,
  CalendarConsents1772000700100,
  CalendarReads1772000710000,
  Calendly1772000720000,
  CalendarFeeds1772000730000,
  Imports1772000740000,
  CalendarWrites1772000745000,
  ImportedMessages1772000750000,
  ContactPlacements1772000760000,
  Exports1772000765000,
  ExportList1772000770000,
  SubscriptionConcurrency1772000771000,
  Doorbells1772000773000,
  SubscriptionVersions1772000774000,
  EventsWithoutAccountIndex1772000775000,
  RetiredIdentifiers1772000776000,
  AppointmentsById1772000777000,
  WindowsOfPhones1772000778000,
  StoredFiles1772000779000,
];
