import { Entity, Index } from "typeorm";
import type { OutboxCommand } from "../../core/model/workflow/workflow-command.ts";
import { Id, Int, Json, Moment, MomentNow, Ref, Text, Token } from "./columns.ts";

/**
 * Work that Temporal has yet to hear of. Written in the transaction that caused it, deleted once
 * Temporal has it.
 */
@Entity("outbox")
@Index("outbox_lane", ["partitionKey", "availableAt", "id"])
@Index("outbox_delivery", ["deliveryId"])
export class OutboxRow {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(16) kind: "delivery" | "request";
  @Ref({ nullable: true }) deliveryId: number | null;
  /**
   * The run of the delivery that the row asks for. Once a newer run exists, the row starts none.
   */
  @Int({ unsigned: true, nullable: true }) run: number | null;
  @Json({ nullable: true }) command: OutboxCommand | null;
  /** `<account>:<receiver host>`, or `-:<account>` for requests: rows that share a quota. */
  @Text(300, { name: "lane", collation: "utf8mb4_bin" }) partitionKey: string;
  /**
   * The row is due from this time on. A claim sets the end of its lease, a failure the next try.
   */
  @Moment() availableAt: Date;
  /** Set while a relay holds the row. */
  @Moment({ nullable: true }) leaseUntil: Date | null;
  @Int({ unsigned: true, default: 0 }) attempts: number;
  @Token(64, { nullable: true }) lastError: string | null;
  /** Set when Temporal refuses the row for good. Then a person decides. */
  @Moment({ nullable: true }) parkedAt: Date | null;
  @MomentNow() createdAt: Date;
}
