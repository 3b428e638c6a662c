import { z } from "zod";
import { notificationKinds, type NotificationKind } from "./notification.ts";

/** Places that show notifications: the app, and the desktop outside the app. */
export const notificationSurfaces = ["app", "desktop"] as const;
export type NotificationSurface = (typeof notificationSurfaces)[number];

/** Kinds of notification that are mailed too, to each person who wants that. */
const mailedKinds: readonly NotificationKind[] = [
  "conversation_handed_off",
  "message_received",
  "conversation_assigned",
  "mentioned",
  "appointment_booked",
];

/** Kinds that reach the desktop until a person chooses otherwise: those about the person alone. */
const desktopKinds: readonly NotificationKind[] = [
  "message_received",
  "conversation_assigned",
  "mentioned",
];

/** A person's choice for one kind of notification. */
export const notificationPreference = z.strictObject({
  kind: z.enum(notificationKinds),
  app: z.boolean().describe("Shown in the list of notifications, and counted."),
  desktop: z.boolean().describe("Shown outside the app by the browser."),
  email: z.boolean().nullable().describe("Null where no mail of this kind exists."),
});
export type NotificationPreference = z.output<typeof notificationPreference>;

/** The choice of a person who has not chosen. */
export function defaultPreference(kind: NotificationKind): NotificationPreference {
  const email = mailedKinds.includes(kind) ? false : null;
  return { kind, app: true, desktop: desktopKinds.includes(kind), email };
}

/** Body of a change of choices. Absent kinds and fields stay as they are. */
export const notificationPreferencesBody = z.strictObject({
  preferences: z
    .array(
      z
        .strictObject({
          kind: z.enum(notificationKinds),
          app: z.boolean().optional(),
          desktop: z.boolean().optional(),
          email: z.boolean().optional(),
        })
        .superRefine(({ kind, email }, ctx) => {
          if (email !== true || mailedKinds.includes(kind)) return;
          ctx.addIssue({
            code: "custom",
            path: ["email"],
            message: `Mails exist for ${mailedKinds.join(", ")}.`,
            params: { code: "no_such_mail" },
          });
        }),
    )
    .min(1)
    .max(2 * notificationKinds.length),
});
export type NotificationPreferencesBody = z.output<typeof notificationPreferencesBody>;
