import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The first page has no such field and no webhooks, so their files stay apart. */
const rareField =
  /(wall|day)-field|hours-editor|@mantine.dates|dayjs|components.(Chip|FileButton|NumberInput|PasswordInput|Pill|PillsInput|Progress|Radio|SimpleGrid|Table|Tabs|TagsInput)|@mantine.form/;
const isShared = (path: string): boolean =>
  /\.m?[jt]sx?$/.test(path) &&
  !rareField.test(path) &&
  !/react-number-format|core.model.(accent|event|inbound|schedule|subscription|voice)/.test(path) &&
  // The inbox fetches parts of these pages only once somebody asks for them.
  !/features.(agent|channels|web-chat|webhooks).|components.(agent|hour-chart).|lib.(agent-|channel-|knowledge|widgets)|core.model.agent/.test(
    path,
  );

/** Parts of lists and settings, which the first page does not have. */
const isOfLists = (path: string): boolean =>
  /components.(page|pager|log-pager|wide-table|states|contact-picker|copy-text|form-foot|hue-picker|move-buttons|name-field|one-time-secret-modal|phone-link|secret-input|section-links|settings-nav|code-block|url-tabs)\.|appointments.section-nav|core.model.(appointment|principal)|lib.(difference|weekly-hours)\./.test(
    path,
  ) && /\.tsx?$/.test(path);

/**
 * Parts of imports and exports, which a few pages share. One file for all of them: the inbox lists
 * the name of each file that a page may fetch.
 */
const isOfTransfers = (path: string): boolean =>
  /components.(exports|step-frame|time-zone-select)|lib.(exports|import-paths)\.|Icon(FileDownload|FileUpload|Filter)\./.test(
    path,
  ) && /\.m?[jt]sx?$/.test(path);

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
            // A group takes what its files import, so the shared files come first.
            {
              name: "shared",
              test: (path) => isShared(path) && !isOfLists(path) && !isOfTransfers(path),
              minShareCount: 3,
            },
            { name: "lists", test: isOfLists, minShareCount: 3 },
            { name: "transfers", test: isOfTransfers, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { "/dashboard/api": "http://127.0.0.1:3000" } },
});
