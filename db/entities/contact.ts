import { Entity, Index, PrimaryColumn } from "typeorm";
import type { RetiredIdentifiers } from "../../core/model/erasure.ts";
import type { IdentityKind, RestChannel } from "../../core/model/channels.ts";
import type { ContactSource } from "../../core/model/principal.ts";
import { Id, Json, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A customer of an account. */
@Entity("contacts")
@Index("contacts_phone", ["accountId", "phoneKey"], { unique: true })
@Index("contacts_email", ["accountId", "email"], { unique: true })
@Index("contacts_search", [
  "accountId",
  "createdAt",
  "id",
  "name",
  "email",
  "phone",
  "mergedIntoId",
])
@Index("contacts_activity", ["accountId", "mergedIntoId", "lastActivityAt", "id"])
@Index("contacts_newest", ["accountId", "mergedIntoId", "createdAt", "id"])
export class Contact {
  @Id() id: number;
  @Ref() accountId: number;
  @Text(200, { nullable: true }) name: string | null;
  /** 8 to 15 digits, as they were sent. */
  @Token(15, { nullable: true }) phone: string | null;
  /** The digits with national variants folded: equal keys mean the same person (rule C3). */
  @Token(15, { nullable: true }) phoneKey: string | null;
  @Text(254, { nullable: true, collation: "utf8mb4_0900_as_ci" }) email: string | null;
  /** Set on the loser of a merge, which keeps neither phone nor email. */
  @Ref({ nullable: true }) mergedIntoId: number | null;
  /**
   * The name, phone and email that the loser of a merge had. Only the erasure of its winner reads
   * them. Entities are loaded without the column, so no answer can show it.
   */
  @Json({ nullable: true, select: false }) retiredIdentifiers?: RetiredIdentifiers | null;
  @Token(16) source: ContactSource | "import";
  @Ref({ nullable: true }) createdByUserId: number | null;
  /** Time of the customer's last message; before the first one, of the contact's creation. */
  @MomentNow() lastActivityAt: Date;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/**
 * A contact's id on a channel: its WhatsApp, Instagram or Messenger id under one channel account.
 */
@Entity("contact_identities")
@Index("contact_identities_external", ["accountId", "channelAccountId", "externalId"], {
  unique: true,
})
@Index("contact_identities_contact", ["contactId", "id"])
@Index("contact_identities_same", ["accountId", "sameAsContactId"])
export class ContactIdentity {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() contactId: number;
  @Ref() channelAccountId: number;
  @Token(16) channel: RestChannel;
  @Token(128) externalId: string;
  /** Meaning of the id: a phone, an id of WhatsApp for a user, or an id for one page alone. */
  @Token(16, { default: "page_scoped" }) kind: IdentityKind;
  /** The person's public name on the network, without `@`. */
  @Text(128, { nullable: true }) username: string | null;
  /** Another contact that the channel has named as the same person. */
  @Ref({ nullable: true }) sameAsContactId: number | null;
  /** Last message from this phone, kept while the conversation is with another phone. */
  @Moment({ nullable: true }) lastCustomerMessageAt: Date | null;
  @MomentNow() createdAt: Date;
}

/** A tag of a contact, as written; the same letters in another case are the same tag. */
@Entity("contact_tags")
@Index("contact_tags_account", ["accountId", "tag"])
export class ContactTag {
  @PrimaryColumn({
    type: "bigint",
    unsigned: true,
    transformer: { to: (v: unknown) => v, from: Number },
  })
  contactId: number;
  @PrimaryColumn({ type: "varchar", length: 50, collation: "utf8mb4_0900_as_ci" }) tag: string;
  @Ref() accountId: number;
  @MomentNow() createdAt: Date;
}
