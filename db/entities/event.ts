import { Column, Entity, Index, PrimaryColumn } from "typeorm";
import type { EventType } from "../../core/model/event-types.ts";
import { bytesToUuid, Moment, Ref, Token, uuidToBytes } from "./columns.ts";

/** A committed fact, with the exact bytes that every receiver gets. */
@Entity("events")
@Index("events_contact", ["contactId"])
export class Event {
  /** UUIDv7: ids are in order of time. */
  @PrimaryColumn({
    type: "binary",
    length: 16,
    transformer: {
      to: (value: unknown) => (typeof value === "string" ? uuidToBytes(value) : value),
      from: (value: Buffer) => bytesToUuid(value),
    },
  })
  id: string;
  @Ref() accountId: number;
  @Token(64) type: EventType;
  @Ref({ nullable: true }) contactId: number | null;
  @Ref({ nullable: true }) conversationId: number | null;
  @Ref({ nullable: true }) appointmentId: number | null;
  /** The envelope as sent. Null only after an erasure. */
  @Column({ type: "mediumblob", nullable: true }) body: Buffer | null;
  @Moment({ nullable: true }) erasedAt: Date | null;
  @Moment() occurredAt: Date;
}
