import { widgetSettings } from "../../core/model/widget.ts";
import {
  createWidget,
  deleteWidget,
  getWidget,
  listWidgets,
  renewWidgetSecret,
  updateWidget,
  type WidgetWithChannel,
} from "../../core/services/widgets/widgets.ts";
import type { Deps } from "../deps.ts";
import { admin, agent } from "./access.ts";
import { dashboardRoute } from "./route.ts";

const noun = "widget";
const tag = "Web chat";

/** Widgets of web chat, each with a channel account of its own. */
export const widgetRoutes = [
  dashboardRoute("GET /widgets", {
    access: agent,
    tag,
    summary: "List widgets, oldest first",
    run: async (tx, _, deps) => ({
      data: (await listWidgets(tx)).map((widget) => present(widget, deps)),
    }),
  }),
  dashboardRoute("POST /widgets", {
    access: admin,
    tag,
    summary: "Add a widget; the secret of its identities is in this answer alone",
    run: async (tx, { body }, deps) => {
      const { secret, ...widget } = await createWidget(tx, deps.secretBox, body);
      return { data: { ...present(widget, deps), identity_secret: secret } };
    },
  }),
  dashboardRoute("GET /widgets/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a widget",
    run: async (tx, { id }, deps) => ({ data: present(await getWidget(tx, id), deps) }),
  }),
  dashboardRoute("PATCH /widgets/:id", {
    access: admin,
    tag,
    noun,
    summary: "Change a widget; `settings` replaces all settings",
    run: async (tx, { id, body }, deps) => ({
      data: present(await updateWidget(tx, id, body), deps),
    }),
  }),
  dashboardRoute("DELETE /widgets/:id", {
    access: admin,
    tag,
    noun,
    summary: "Delete a widget; sites no longer show it, and its conversations stay",
    run: async (tx, { id }) => {
      await deleteWidget(tx, id);
      return { data: { id } };
    },
  }),
  dashboardRoute("POST /widgets/:id/secret", {
    access: admin,
    tag,
    noun,
    summary: "Give a widget a new secret; the one before is accepted for 24 hours more",
    run: async (tx, { id }, deps) => {
      const { secret, ...widget } = await renewWidgetSecret(tx, deps.secretBox, id);
      return { data: { ...present(widget, deps), identity_secret: secret } };
    },
  }),
];

function present({ row, channel }: WidgetWithChannel, { config }: Deps) {
  return {
    id: row.id,
    channel_account_id: channel.id,
    key: row.publicKey,
    name: channel.name,
    script_url: `${config.widgetUrl}/widget/${row.publicKey}.js`,
    allowed_origins: row.allowedOrigins,
    identity_mode: row.identityMode,
    identity_public_key: row.identityPublicKey,
    bot_default: channel.botDefault,
    // Settings that are younger than the row have their defaults.
    settings: widgetSettings.parse(row.settings),
    seen_at: row.seenAt?.toISOString() ?? null,
    seen_on: row.seenOn,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
