import type { Config } from "../../core/config.ts";
import { signMediaToken, type MediaGrant } from "../../core/media/media-token.ts";
import type { AttachmentView } from "../../core/model/attachment.ts";
import { dashboardLinkMs, restLinkMs } from "../../core/model/media.ts";
import type { MessageView } from "../../core/model/message.ts";
import type { Principal } from "../../core/model/principal.ts";
import type { SecretBox } from "../../core/secrets.ts";

/** Dependencies of links. */
export interface LinkDeps {
  config: Config;
  secretBox: SecretBox;
}

/** Signer of links: `id` names a stored file of the account. */
interface LinkSigner {
  deps: LinkDeps;
  actor: Principal;
  expiresAt: Date;
}

/**
 * A message with links to its stored files. A link to a page of the Dashboard lives shorter than
 * one of the REST API, which a program may fetch later.
 */
export function withLinks(deps: LinkDeps, actor: Principal, view: MessageView): MessageView {
  if (view.attachments.length === 0) return view;
  const attachments = withFileLinks(deps, actor, view.attachments);
  const [first] = attachments;
  const media = first?.url ? { url: first.url, mime_type: first.mime_type } : view.media;
  return { ...view, attachments, media };
}

/** Files with links to those that are stored. */
export function withFileLinks<View extends AttachmentView>(
  deps: LinkDeps,
  actor: Principal,
  files: readonly View[],
): View[] {
  const lifeMs = actor.type === "api_key" ? restLinkMs : dashboardLinkMs;
  const signer = { deps, actor, expiresAt: new Date(Date.now() + lifeMs) };
  return files.map((one) => withLink(signer, one));
}

function withLink<View extends AttachmentView>(signer: LinkSigner, view: View): View {
  const { id, state, mime_type: type } = view;
  if (id === null || state !== "ready") return view;
  const isPicture = type?.startsWith("image/") ?? false;
  return {
    ...view,
    url: sign(signer, id, "original"),
    thumbnail_url: isPicture ? sign(signer, id, "thumbnail") : null,
  };
}

function sign(
  { deps, actor, expiresAt }: LinkSigner,
  mediaId: number,
  variant: MediaGrant["variant"],
): string {
  const { accountId } = actor;
  const grant = { accountId, mediaId, variant, disposition: "inline" } as const;
  return `${deps.config.publicUrl}/media/${signMediaToken(deps.secretBox, grant, expiresAt)}`;
}
