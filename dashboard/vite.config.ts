import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The calendar of the fields for days is a file of its own: the first page has no such field. */
const isShared = (path: string): boolean =>
  /\.m?[jt]sx?$/.test(path) && !/wall-field|@mantine.dates|dayjs/.test(path);

export default defineConfig({
  plugins: [react()],
  // The API puts a new nonce in the place of this word in every answer.
  html: { cspNonce: "PARLEY_STYLE_NONCE" },
  build: {
    target: "es2022",
    // Our Content-Security-Policy takes no data: URL but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What three pages share is one file. Left alone it is a file for each set of pages that share
        // something: the inbox asked for 78, which cost a fifth of the processor time of its opening.
        codeSplitting: {
          groups: [
            // Has to run before the schemas, which are shared.
            { name: "no-eval", test: /no-eval\.ts$/ },
            { name: "shared", test: isShared, minShareCount: 3 },
          ],
        },
      },
    },
  },
  server: { proxy: { "/dashboard/api": "http://127.0.0.1:3000" } },
});
