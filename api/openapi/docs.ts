import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type Router from "@koa/router";
import type { Deps } from "../deps.ts";
import { createOpenApi } from "./openapi.ts";
import { v1Routes } from "../v1/index.ts";

const uiFolder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const types = { css: "text/css", js: "text/javascript", png: "image/png" } as const;
const assets = [
  "swagger-ui.css",
  "swagger-ui-bundle.js",
  "swagger-ui-standalone-preset.js",
  "favicon-32x32.png",
];

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/swagger-ui-standalone-preset.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const start = `SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset.slice(1)],
});
`;

/** Serves the OpenAPI document and its reference page, which loads nothing from other hosts. */
export function mountDocs({ config }: Deps, router: Router): void {
  const document = JSON.stringify(createOpenApi(v1Routes, config.publicUrl));
  router.get("/api/v1/openapi.json", (ctx) => {
    ctx.set("Access-Control-Allow-Origin", "*");
    ctx.type = "application/json";
    ctx.body = document;
  });
  router.get("/docs", (ctx) => {
    ctx.type = "text/html";
    ctx.body = page;
  });
  router.get("/docs/start.js", (ctx) => {
    ctx.type = "text/javascript";
    ctx.body = start;
  });
  for (const name of assets) mountAsset(router, name);
}

function mountAsset(router: Router, name: string): void {
  const bytes = readFileSync(join(uiFolder, name));
  const ending = name.slice(name.lastIndexOf(".") + 1) as keyof typeof types;
  router.get(`/docs/${name}`, (ctx) => {
    ctx.set("Cache-Control", "public, max-age=3600");
    ctx.type = types[ending];
    ctx.body = bytes;
  });
}
