import { Entity, Index } from "typeorm";
import { Bytes, Id, MomentNow, Ref, Text, Token } from "./columns.ts";

/** A file that a person has uploaded for a message. Sending moves it to the message. */
@Entity("media_uploads")
@Index("media_uploads_age", ["createdAt", "id"])
export class MediaUpload {
  @Id() id: number;
  @Ref() accountId: number;
  /** Nobody else can send the file. */
  @Ref() userId: number;
  @Text(255, { nullable: true }) filename: string | null;
  /** The type of the content. */
  @Token(128) mime: string;
  /** Bytes. */
  @Ref() size: number;
  @Bytes(32) sha256: Buffer;
  /** Null until the storage has the file. */
  @Token(191, { nullable: true }) storageKey: string | null;
  @MomentNow() createdAt: Date;
}
