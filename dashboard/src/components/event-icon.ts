import {
  IconCalendarCancel,
  IconCalendarPlus,
  IconCalendarTime,
  IconLayoutKanban,
  IconMessage,
  IconMessageCheck,
  IconMessageForward,
  IconMessagePlus,
  IconMessages,
  IconRobot,
  IconRobotOff,
  IconUserEdit,
  IconUserPlus,
  IconWebhook,
  type Icon,
} from "@tabler/icons-react";
import type { EventIcon } from "../../../core/model/event-types.ts";

/** Icons that the event catalogue names, under Tabler's names. */
export const eventIcons: Record<EventIcon, Icon> = {
  message: IconMessage,
  "message-forward": IconMessageForward,
  "message-plus": IconMessagePlus,
  messages: IconMessages,
  "message-check": IconMessageCheck,
  robot: IconRobot,
  "robot-off": IconRobotOff,
  "layout-kanban": IconLayoutKanban,
  "user-plus": IconUserPlus,
  "user-edit": IconUserEdit,
  "calendar-plus": IconCalendarPlus,
  "calendar-time": IconCalendarTime,
  "calendar-cancel": IconCalendarCancel,
  webhook: IconWebhook,
};
