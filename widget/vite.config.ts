import { defineConfig } from "vite";

/** The panel's files. The API makes its page, so there is no HTML here. */
export default defineConfig({
  base: "/widget/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    // Its helper would add elements for files that the browser fetches anyway.
    modulePreload: false,
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: { input: "widget/panel/main.tsx" },
  },
});
