import type Router from "@koa/router";
import { AppError } from "../../core/errors.ts";
import {
  visitMessageBody,
  visitMessagesQuery,
  visitMessagesView,
  visitMessageView,
  type VisitMessageBody,
} from "../../core/model/widget-visit.ts";
import { findLiveWidget, type LiveWidget } from "../../core/services/widgets/find-widget.ts";
import type { Visit } from "../../core/services/widgets/visit.ts";
import {
  findVisitMessage,
  receiveVisitMessage,
} from "../../core/services/widgets/visit-messages.ts";
import {
  listVisitMessages,
  presentVisitMessages,
} from "../../core/services/widgets/visit-views.ts";
import type { Deps } from "../deps.ts";
import { countMessage } from "./limits.ts";
import { withVisitLinks } from "./visit-links.ts";
import {
  change,
  mountVisitRoute,
  read,
  type SessionCall,
  type VisitAnswer,
} from "./visit-route.ts";

/** Mounts the calls that read and write messages. */
export function mountMessages(deps: Deps, router: Router): void {
  mountVisitRoute(
    deps,
    router,
    { method: "GET", path: "/messages", query: visitMessagesQuery, answer: visitMessagesView },
    async ({ visit, query, ...call }) => {
      const { accountId } = visit;
      const { messages, nextBeforeId } = await read({ ...call, query }, accountId, (tx) =>
        listVisitMessages(tx.manager, visit, query),
      );
      const data = {
        messages: withVisitLinks(deps, accountId, messages),
        next_before_id: nextBeforeId,
      };
      return { status: 200, data };
    },
  );
  const route = { method: "POST", path: "/messages", body: visitMessageBody } as const;
  mountVisitRoute(deps, router, { ...route, answer: visitMessageView }, sendMessage);
}

/** A repeat answers the stored message, and costs nothing of the limits. */
async function sendMessage(call: SessionCall<VisitMessageBody>): Promise<VisitAnswer> {
  const { deps, ip, visit, body } = call;
  const { accountId } = visit;
  const known = await read(call, accountId, (tx) => findVisitMessage(tx, visit, body.client_id));
  if (known !== null) return await answerMessage(call, known, 200);
  await countMessage(deps, ip, visit, body.proof);
  const widget = await getWidget(deps, visit);
  const { id, created } = await change(call, accountId, (tx) =>
    receiveVisitMessage(tx, widget, visit, body),
  );
  return await answerMessage(call, id, created ? 201 : 200);
}

/** The widget of a session. @throws AppError `session_expired` if it was deleted meanwhile */
export async function getWidget({ dataSource }: Deps, { widgetId }: Visit): Promise<LiveWidget> {
  const widget = await findLiveWidget(dataSource.manager, widgetId);
  if (widget === null) throw new AppError("session_expired");
  return widget;
}

async function answerMessage(
  { deps, visit: { accountId } }: SessionCall,
  id: number,
  status: number,
): Promise<VisitAnswer> {
  const found = await presentVisitMessages(deps.dataSource.manager, accountId, [id]);
  const [data] = withVisitLinks(deps, accountId, found);
  // The message was erased meanwhile, with its contact and this session.
  if (data === undefined) throw new AppError("session_expired");
  return { status, data };
}
