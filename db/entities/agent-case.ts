import { Entity, Index } from "typeorm";
import type { CaseExpectation, CaseResult } from "../../core/model/agent-case.ts";
import type { RestChannel } from "../../core/model/channels.ts";
import { Id, Json, Moment, MomentNow, Ref, Token, Version } from "./columns.ts";

/** A test case of the agent: lines of a customer, and what must come of them. */
@Entity("agent_cases")
@Index("agent_cases_account", ["accountId", "id"])
@Index("agent_cases_queued", ["queuedAt", "id"])
@Index("agent_cases_contact", ["contactId", "id"])
export class AgentCase {
  @Id() id: number;
  @Ref() accountId: number;
  /** Contact of the turn that the case was made from. The contact's erasure deletes the case. */
  @Ref({ nullable: true }) contactId: number | null;
  @Token(16) channel: RestChannel;
  @Json() customerLines: string[];
  @Json() expected: CaseExpectation;
  @Token(8, { default: "new" }) state: "new" | "passed" | "failed";
  /** Result of the last run. */
  @Json({ nullable: true }) result: CaseResult | null;
  /** Digest of the draft of the last run. */
  @Token(32, { nullable: true }) draftDigest: string | null;
  /** Time at which a run was requested. Null: none is owed. Lost runs are found by it. */
  @Moment({ nullable: true }) queuedAt: Date | null;
  @Moment({ nullable: true }) ranAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}
