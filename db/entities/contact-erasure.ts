import { Entity } from "typeorm";
import type { EraseContactInput } from "../../core/model/erasure.ts";
import { Json, MomentNow, Ref } from "./columns.ts";

/**
 * An erasure in progress. Its workflow deletes the row as its last step, so that nothing of the
 * person is left. Temporal never sees the emails and phones.
 */
@Entity("contact_erasures")
export class ContactErasure {
  @Ref({ primary: true }) contactId: number;
  @Ref() accountId: number;
  /** The input of the workflow, to start it again. */
  @Json() input: EraseContactInput;
  @Json() emails: string[];
  /** The last eight digits of each phone. */
  @Json() phoneEndings: string[];
  @MomentNow() createdAt: Date;
}
