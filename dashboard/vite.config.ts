import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

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
  },
  server: { proxy: { "/dashboard/api": "http://127.0.0.1:3000" } },
});
