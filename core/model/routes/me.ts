import { z } from "zod";
import {
  notificationPreference,
  notificationPreferencesBody,
} from "../notification-preferences.ts";
import { locales, newPasswordInput, passwordInput, personNameInput } from "../user.ts";
import { pageParameters } from "../wire.ts";
import { ownSessionView, personView } from "../views/user.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

const passwordBody = z.strictObject({
  current_password: passwordInput,
  new_password: newPasswordInput,
});

/** Shapes of the routes in `api/dashboard/me.ts`. */
export const meShapes = {
  "GET /me/notification-preferences": { answers: { 200: z.array(notificationPreference) } },
  "PATCH /me/notification-preferences": {
    body: notificationPreferencesBody,
    answers: { 200: z.array(notificationPreference) },
  },
  "GET /me": { answers: { 200: personView } },
  "PATCH /me": {
    body: z.strictObject({
      name: personNameInput.optional(),
      locale: z.enum(locales).nullable().optional(),
    }),
    answers: { 200: personView },
  },
  "POST /me/password": { body: passwordBody, answers: { 200: z.null() } },
  "GET /me/sessions": {
    query: z.object(pageParameters),
    ...pageOf(ownSessionView),
  },
  "DELETE /me/sessions/:id": { answers: { 200: idView } },
  "DELETE /me/sessions": { answers: { 200: z.strictObject({ ended: z.int().min(0) }) } },
} satisfies RouteShapes;
