import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The first page has neither date fields nor webhooks, so their files stay apart. */
const isShared = (path: string): boolean =>
  /\.m?[jt]sx?$/.test(path) &&
  !/wall-field|@mantine.dates|dayjs|core.model.(event|inbound|subscription|voice)/.test(path);

export default defineConfig({
  plugins: [react()],
  // The API replaces this word by a new nonce in every answer.
  html: { cspNonce: "PARLEY_STYLE_NONCE" },
  build: {
    target: "es2022",
    // Our Content-Security-Policy allows data: URLs for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Code that three pages share goes into one file. By default each set of sharing pages gets its
        // own file: the inbox fetched 78 files, which cost a fifth of the CPU time of its opening.
        codeSplitting: {
          groups: [
            // Must run before the schemas, which are shared.
            { name: "no-eval", test: /no-eval\.ts$/ },
            { name: "shared", test: isShared, minShareCount: 3 },
          ],
        },
      },
    },
  },
  server: { proxy: { "/dashboard/api": "http://127.0.0.1:3000" } },
});
