import { accountShapes } from "./account.ts";
import { agentShapes } from "./agent.ts";
import { agentDraftsShapes } from "./agent-drafts.ts";
import { agentCasesShapes } from "./agent-cases.ts";
import { agentRatingsShapes } from "./agent-ratings.ts";
import { agentPlaygroundShapes } from "./agent-playground.ts";
import { agentReportsShapes } from "./agent-reports.ts";
import { agentTurnsShapes } from "./agent-turns.ts";
import { apiKeysShapes } from "./api-keys.ts";
import { appointmentsShapes } from "./appointments.ts";
import { bookingLinksShapes } from "./booking-links.ts";
import { calendarFeedsShapes } from "./calendar-feeds.ts";
import { calendlyShapes } from "./calendly.ts";
import { calendarsShapes } from "./calendars.ts";
import { cannedAnswersShapes } from "./canned-answers.ts";
import { channelsShapes } from "./channels.ts";
import { contactFiltersShapes } from "./contact-filters.ts";
import { contactsShapes } from "./contacts.ts";
import { conversationsShapes } from "./conversations.ts";
import { deliveriesShapes } from "./deliveries.ts";
import { exportsShapes } from "./exports.ts";
import { firstRunShapes } from "./first-run.ts";
import { importsShapes } from "./imports.ts";
import { inboundEndpointsShapes } from "./inbound-endpoints.ts";
import { inboxViewsShapes } from "./inbox-views.ts";
import { invitationsShapes } from "./invitations.ts";
import { knowledgeShapes } from "./knowledge.ts";
import { linksShapes } from "./links.ts";
import { macrosShapes } from "./macros.ts";
import { meShapes } from "./me.ts";
import { messagesShapes } from "./messages.ts";
import { notificationGroupsShapes } from "./notification-groups.ts";
import { notificationsShapes } from "./notifications.ts";
import { pipelinesShapes } from "./pipelines.ts";
import { presenceShapes } from "./presence.ts";
import { replaysShapes } from "./replays.ts";
import { reschedulesShapes } from "./reschedules.ts";
import { resourcesShapes } from "./resources.ts";
import { sandboxShapes } from "./sandbox.ts";
import { servicesShapes } from "./services.ts";
import { sessionShapes } from "./session.ts";
import { stagesShapes } from "./stages.ts";
import { subscriptionsShapes } from "./subscriptions.ts";
import { systemShapes } from "./system.ts";
import { templatesShapes } from "./templates.ts";
import { usersShapes } from "./users.ts";
import { widgetsShapes } from "./widgets.ts";

/** Shapes of every route of the Dashboard API, by method and path. */
export const dashboardShapes = {
  ...accountShapes,
  ...agentShapes,
  ...agentDraftsShapes,
  ...agentCasesShapes,
  ...agentRatingsShapes,
  ...agentPlaygroundShapes,
  ...agentReportsShapes,
  ...agentTurnsShapes,
  ...apiKeysShapes,
  ...appointmentsShapes,
  ...bookingLinksShapes,
  ...calendarFeedsShapes,
  ...calendlyShapes,
  ...calendarsShapes,
  ...cannedAnswersShapes,
  ...channelsShapes,
  ...contactFiltersShapes,
  ...contactsShapes,
  ...conversationsShapes,
  ...deliveriesShapes,
  ...exportsShapes,
  ...firstRunShapes,
  ...importsShapes,
  ...inboundEndpointsShapes,
  ...inboxViewsShapes,
  ...invitationsShapes,
  ...knowledgeShapes,
  ...linksShapes,
  ...macrosShapes,
  ...meShapes,
  ...messagesShapes,
  ...notificationGroupsShapes,
  ...notificationsShapes,
  ...pipelinesShapes,
  ...presenceShapes,
  ...replaysShapes,
  ...reschedulesShapes,
  ...resourcesShapes,
  ...sandboxShapes,
  ...servicesShapes,
  ...sessionShapes,
  ...stagesShapes,
  ...subscriptionsShapes,
  ...systemShapes,
  ...templatesShapes,
  ...usersShapes,
  ...widgetsShapes,
};
