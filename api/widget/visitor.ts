import type Router from "@koa/router";
import { AppError } from "../../core/errors.ts";
import {
  sessionView,
  visitContactBody,
  visitContextBody,
  visitIdentifyBody,
  visitorView,
  visitPageBody,
  visitReadBody,
  visitTypingBody,
} from "../../core/model/widget-visit.ts";
import { eraseVisit } from "../../core/services/contact-lifecycle/erase-visit.ts";
import { identifyVisit } from "../../core/services/contact-lifecycle/identify-visit.ts";
import { presentVisitor } from "../../core/services/widgets/present-session.ts";
import {
  beginSession,
  endSession,
  movePage,
  resumeSession,
  storeContext,
} from "../../core/services/widgets/sessions.ts";
import { readSaid, storeSaid } from "../../core/services/widgets/visit-contact.ts";
import { lockVisit } from "../../core/services/widgets/visit-messages.ts";
import { markVisitRead, renderTranscript } from "../../core/services/widgets/visit-reading.ts";
import type { Deps } from "../deps.ts";
import { checkTrap, countReset } from "./limits.ts";
import { getWidget } from "./messages.ts";
import { setResumeCookie } from "./resume-cookie.ts";
import { answerSession, readIdentity, requireSite } from "./sessions.ts";
import { change, mountVisitRoute, read } from "./visit-route.ts";

/** Mounts the calls about the visitor. */
export function mountVisitor(deps: Deps, router: Router): void {
  mountReading(deps, router);
  mountFacts(deps, router);
  mountIdentity(deps, router);
  mountEnd(deps, router);
}

function mountReading(deps: Deps, router: Router): void {
  mountVisitRoute(
    deps,
    router,
    { method: "POST", path: "/read", body: visitReadBody },
    async (call) => {
      const { visit, body } = call;
      await change(call, visit.accountId, (tx) => markVisitRead(tx, visit, body.up_to_message_id));
      return { status: 204 };
    },
  );
  const typing = { method: "POST", path: "/typing", body: visitTypingBody } as const;
  mountVisitRoute(deps, router, typing, async ({ visit, body }) => {
    const { accountId, conversationId } = visit;
    // A sign that comes too often is left out: it is no error of the visitor.
    const isCounted = deps.widgetLimits.typing(String(visit.sessionId)).allowed;
    if (conversationId !== null && (isCounted || !body.typing)) {
      deps.liveStreams.presence.visitorTypes({ accountId, conversationId }, body.typing);
    }
    return await Promise.resolve({ status: 204 });
  });
  mountVisitRoute(deps, router, { method: "GET", path: "/transcript" }, async (call) => {
    const { visit } = call;
    const name = visit.locale === "en" ? "Visitor" : "Visitante";
    const text = await read(call, visit.accountId, (tx) =>
      renderTranscript(tx.manager, visit, name),
    );
    return { status: 200, file: { name: "chat.txt", text } };
  });
}

function mountFacts(deps: Deps, router: Router): void {
  mountVisitRoute(
    deps,
    router,
    { method: "POST", path: "/page", body: visitPageBody },
    async (call) => {
      const { visit, body } = call;
      requireSite(await getWidget(deps, visit), body);
      await change(call, visit.accountId, async (tx) => {
        const session = await lockVisit(tx, visit);
        await movePage(tx, session, body.page);
      });
      return { status: 204 };
    },
  );
  const context = { method: "POST", path: "/context", body: visitContextBody } as const;
  mountVisitRoute(deps, router, context, async (call) => {
    const { visit, body } = call;
    await change(call, visit.accountId, async (tx) => {
      await storeContext(tx, await lockVisit(tx, visit), body.context);
    });
    return { status: 204 };
  });
  const contact = { method: "POST", path: "/contact", body: visitContactBody } as const;
  mountVisitRoute(deps, router, { ...contact, answer: visitorView }, async (call) => {
    const { visit, body } = call;
    await checkTrap(deps, body);
    const said = readSaid({ name: body.name, email: body.email, phone: body.phone });
    const data = await change(call, visit.accountId, async (tx) => {
      const session = await lockVisit(tx, visit);
      await storeSaid(tx, session, said);
      return presentVisitor(session);
    });
    return { status: 200, data };
  });
}

function mountIdentity(deps: Deps, router: Router): void {
  const { secretBox } = deps;
  const identify = { method: "POST", path: "/identify", body: visitIdentifyBody } as const;
  mountVisitRoute(deps, router, { ...identify, answer: sessionView }, async (call) => {
    const { visit, body } = call;
    const widget = await getWidget(deps, visit);
    const identity = await readIdentity(deps, widget, body.identity);
    const data = await change(call, visit.accountId, async (tx) => {
      const session = await lockVisit(tx, visit);
      const request = { locale: session.locale, page: null };
      const opened = await resumeSession(tx, secretBox, widget, session, request);
      const known = await identifyVisit(tx, secretBox, widget, opened, identity);
      return await answerSession(tx, call, widget, known);
    });
    return { status: 200, data };
  });
}

function mountEnd(deps: Deps, router: Router): void {
  const reset = { method: "POST", path: "/reset", answer: sessionView } as const;
  mountVisitRoute(deps, router, reset, async (call) => {
    const { visit, ip } = call;
    const widget = await getWidget(deps, visit);
    const place = await change(call, visit.accountId, async (tx) => {
      const session = await lockVisit(tx, visit);
      const { locale, page } = session;
      await endSession(tx, session);
      return { locale, page };
    });
    // After the end has been stored: a logout empties the chat, also where the limit refuses the next.
    countReset(deps, ip);
    const data = await change(call, visit.accountId, async (tx) => {
      const opened = await beginSession(tx, deps.secretBox, widget, place);
      return await answerSession(tx, call, widget, opened);
    });
    return { status: 200, data };
  });
  mountVisitRoute(deps, router, { method: "POST", path: "/erase" }, async (call) => {
    const { visit, ctx } = call;
    const widget = await getWidget(deps, visit);
    if (!widget.settings.lets_visitor_erase) {
      const message = "This chat cannot be deleted here. Ask the company.";
      throw new AppError("route_not_found", { message });
    }
    const outcome = await change(call, visit.accountId, (tx) => eraseVisit(tx, visit));
    if (outcome === "erased") setResumeCookie(ctx, deps.config.widgetUrl, widget.key, null);
    return { status: 200, data: { outcome } };
  });
}
