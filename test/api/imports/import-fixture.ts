import type { TestAnswer } from "../../support/api.ts";
import { createMediaFolder } from "../../support/media.ts";
import { startApiFixture, type ApiFixture } from "../api-fixture.ts";

/** An API with a folder of its own for files. */
export interface ImportFixture extends ApiFixture {
  folder: string;
  /** A call of the Dashboard API as the account's admin, or with another cookie. */
  dashboard(method: string, path: string, body?: unknown, cookie?: string): Promise<TestAnswer>;
  /** Uploads a file of contacts. @returns the answer */
  upload(bytes: string | Buffer, options?: UploadOptions): Promise<TestAnswer>;
}

interface UploadOptions {
  cookie?: string;
  query?: string;
  headers?: Record<string, string>;
}

/** Three contacts: name, phone and email. */
export const threeContacts = [
  "Name;Phone;Email",
  "Ana;+52 55 1234 5678;ana@example.com",
  "Luis;+52 55 8765 4321;luis@example.com",
  "Zoë;+52 33 1111 2222;zoe@example.com",
].join("\n");

/** Starts the fixture; `settings` are environment variables of the API. */
export async function startImportFixture(
  settings: Record<string, string> = {},
): Promise<ImportFixture> {
  const { folder, stop } = await createMediaFolder();
  const given: Record<string, string> = { MEDIA_DIR: folder };
  const api = await startApiFixture(Object.assign(given, settings));
  return Object.assign(api, {
    folder,
    dashboard: async (
      method: string,
      path: string,
      body?: unknown,
      cookie: string = api.account.cookie,
    ) => await api.api.call(method, `/dashboard/api${path}`, { cookie, body }),
    upload: async (
      bytes: string | Buffer,
      {
        cookie = api.account.cookie,
        query = "kind=contacts&name=people.csv",
        headers = { "content-type": "application/octet-stream" },
      }: UploadOptions = {},
    ) =>
      await api.api.call("POST", `/dashboard/api/imports?${query}`, {
        cookie,
        headers,
        body: bytes,
      }),
    stop: chain(api.stop, stop),
  });
}

function chain(first: () => Promise<void>, then: () => Promise<void>): () => Promise<void> {
  return async () => {
    await first();
    await then();
  };
}
