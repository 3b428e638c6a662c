import type { visitUploadView } from "../../core/model/widget-visit.ts";
import type { z } from "zod";
import { CallError, toCallError } from "./net/call-error.ts";
import type { Session } from "./session.ts";
import { newId } from "./new-id.ts";
import type { Store, Upload } from "./state.ts";

type UploadView = z.output<typeof visitUploadView>;

/** Largest file in bytes, which the API checks as well. */
const maxBytes = 10 * 1_048_576;

/** Files on their way. A file that has arrived becomes a message. */
export class Uploads {
  readonly #store: Store;
  readonly #session: Session;
  readonly #onDone: (uploadId: number) => boolean;
  readonly #aborts = new Map<string, AbortController>();

  constructor(store: Store, session: Session, onDone: (uploadId: number) => boolean) {
    this.#store = store;
    this.#session = session;
    this.#onDone = onDone;
  }

  add(files: Iterable<File>): void {
    for (const file of files) {
      const clientId = newId();
      const preview = /^image\/(png|jpeg|gif|webp)$/u.test(file.type)
        ? URL.createObjectURL(file)
        : null;
      const upload: Upload = { clientId, file, preview, part: 0, error: null };
      this.#store.set({ uploads: [...this.#store.state.uploads, upload] });
      if (file.size > maxBytes) this.#update(clientId, { error: "payload_too_large" });
      else void this.#run(upload);
    }
  }

  retry(clientId: string): void {
    const upload = this.#store.state.uploads.find((one) => one.clientId === clientId);
    if (upload === undefined) return;
    this.#update(clientId, { error: null, part: 0 });
    void this.#run(upload);
  }

  remove(clientId: string): void {
    this.#aborts.get(clientId)?.abort();
    this.#aborts.delete(clientId);
    const { uploads } = this.#store.state;
    const { preview = null } = uploads.find((one) => one.clientId === clientId) ?? {};
    if (preview !== null) URL.revokeObjectURL(preview);
    this.#store.set({ uploads: uploads.filter((one) => one.clientId !== clientId) });
  }

  /** Removes all files, since another person follows. */
  clear(): void {
    for (const { clientId } of this.#store.state.uploads) this.remove(clientId);
  }

  async #run({ clientId, file }: Upload): Promise<void> {
    const abort = new AbortController();
    this.#aborts.set(clientId, abort);
    try {
      const { upload_id } = await this.#session.upload<UploadView>(file, {
        signal: abort.signal,
        onProgress: (part) => this.#update(clientId, { part }),
      });
      if (!this.#onDone(upload_id)) throw new CallError("too_many_unsent", 0);
      this.remove(clientId);
    } catch (thrown) {
      const { code } = toCallError(thrown);
      if (code !== "cancelled") this.#update(clientId, { error: code });
    }
  }

  #update(clientId: string, change: Partial<Upload>): void {
    this.#store.set({
      uploads: this.#store.state.uploads.map((one) =>
        one.clientId === clientId ? { ...one, ...change } : one,
      ),
    });
  }
}
