import { Entity, Index } from "typeorm";
import type { OutboxCommand } from "../../core/model/workflow/workflow-command.ts";
import { Id, Int, Json, Moment, MomentNow, Ref, Text, Token } from "./columns.ts";

/** What Temporal has yet to be told. Written in the transaction that made it true, deleted once told. */
@Entity("outbox")
@Index("outbox_lane", ["partitionKey", "availableAt", "id"])
@Index("outbox_delivery", ["deliveryId"])
export class OutboxRow {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(16) kind: "delivery" | "request";
  @Ref({ nullable: true }) deliveryId: number | null;
  /** The run of the delivery that it asks for: nobody makes it any more once a newer one is there. */
  @Int({ unsigned: true, nullable: true }) run: number | null;
  @Json({ nullable: true }) command: OutboxCommand | null;
  /** `<account>:<receiver host>`, or `-:<account>` for requests: what may be metered together. */
  @Text(300, { name: "lane", collation: "utf8mb4_bin" }) partitionKey: string;
  /** Due from then on; a claim moves it to the end of its lease, a fault to the next try. */
  @Moment() availableAt: Date;
  /** Set while a relay holds the row. */
  @Moment({ nullable: true }) leaseUntil: Date | null;
  @Int({ unsigned: true, default: 0 }) attempts: number;
  @Token(64, { nullable: true }) lastError: string | null;
  /** Set when Temporal refuses the row for good: it waits for a person. */
  @Moment({ nullable: true }) parkedAt: Date | null;
  @MomentNow() createdAt: Date;
}
