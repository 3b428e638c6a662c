import type { Route } from "../http/route.ts";
import { accountRoutes } from "./account.ts";
import { agentRoutes } from "./agent.ts";
import { agentDraftRoutes } from "./agent-drafts.ts";
import { agentCaseRoutes } from "./agent-cases.ts";
import { agentRatingRoutes } from "./agent-ratings.ts";
import { agentPlaygroundRoutes } from "./agent-playground.ts";
import { agentReportRoutes } from "./agent-reports.ts";
import { agentTurnRoutes } from "./agent-turns.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { appointmentRoutes } from "./appointments.ts";
import { bookingLinkRoutes } from "./booking-links.ts";
import { calendarFeedRoutes } from "./calendar-feeds.ts";
import { calendlyRoutes } from "./calendly.ts";
import { calendarRoutes } from "./calendars.ts";
import { cannedAnswerRoutes } from "./canned-answers.ts";
import { bulkRoutes } from "./bulk-actions.ts";
import { channelAppRoutes } from "./channel-apps.ts";
import { channelIntakeRoutes } from "./channel-intake.ts";
import { channelRoutes } from "./channels.ts";
import { contactFilterRoutes } from "./contact-filters.ts";
import { dashboardContactRoutes } from "./contacts.ts";
import { inboxRoutes } from "./conversations.ts";
import { inboxViewRoutes } from "./inbox-views.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { exportRoutes } from "./exports.ts";
import { invitationRoutes } from "./invitations.ts";
import { knowledgeSourceRoutes } from "./knowledge-sources.ts";
import { knowledgeRoutes } from "./knowledge.ts";
import { linkRoutes } from "./links.ts";
import { macroRoutes } from "./macros.ts";
import { meRoutes } from "./me.ts";
import { firstRunRoutes } from "./first-run.ts";
import { importRoutes } from "./imports.ts";
import { inboundEndpointRoutes, voiceIntegrationRoutes } from "./inbound-endpoints.ts";
import { inboxMessageRoutes } from "./messages.ts";
import { notificationGroupRoutes } from "./notification-groups.ts";
import { notificationRoutes } from "./notifications.ts";
import { pipelineRoutes } from "./pipelines.ts";
import { presenceRoutes } from "./presence.ts";
import { replayRoutes } from "./replays.ts";
import { rescheduleRoutes } from "./reschedules.ts";
import { resourceRoutes } from "./resources.ts";
import { sandboxRoutes } from "./sandbox.ts";
import { serviceRoutes } from "./services.ts";
import { stageRoutes } from "./stages.ts";
import { sessionRoutes } from "./session.ts";
import { subscriptionRoutes } from "./subscriptions.ts";
import { systemRoutes } from "./system.ts";
import { templateRoutes } from "./templates.ts";
import { userRoutes } from "./users.ts";
import { widgetRoutes } from "./widgets.ts";

/** Every route of the Dashboard's own JSON API, below `/dashboard/api`. */
export const dashboardRoutes: Route[] = [
  ...sessionRoutes,
  ...meRoutes,
  ...contactFilterRoutes,
  ...calendarFeedRoutes,
  ...calendlyRoutes,
  ...cannedAnswerRoutes,
  ...macroRoutes,
  ...presenceRoutes,
  ...accountRoutes,
  ...agentRoutes,
  ...knowledgeRoutes,
  ...agentDraftRoutes,
  ...agentCaseRoutes,
  ...agentRatingRoutes,
  ...agentPlaygroundRoutes,
  ...knowledgeSourceRoutes,
  ...agentReportRoutes,
  ...agentTurnRoutes,
  ...linkRoutes,
  ...subscriptionRoutes,
  ...deliveryRoutes,
  ...exportRoutes,
  ...replayRoutes,
  ...importRoutes,
  ...inboundEndpointRoutes,
  ...bookingLinkRoutes,
  ...voiceIntegrationRoutes,
  ...notificationRoutes,
  ...notificationGroupRoutes,
  ...dashboardContactRoutes,
  ...inboxRoutes,
  ...bulkRoutes,
  ...inboxViewRoutes,
  ...inboxMessageRoutes,
  ...appointmentRoutes,
  ...rescheduleRoutes,
  ...resourceRoutes,
  ...serviceRoutes,
  ...pipelineRoutes,
  ...stageRoutes,
  ...sandboxRoutes,
  ...channelAppRoutes,
  ...channelRoutes,
  ...channelIntakeRoutes,
  ...widgetRoutes,
  ...calendarRoutes,
  ...templateRoutes,
  ...apiKeyRoutes,
  ...userRoutes,
  ...invitationRoutes,
  ...systemRoutes,
  ...firstRunRoutes,
];
