FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Every native part comes as a prebuilt package, so no install script has to run.
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-bookworm-slim AS dashboard
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY core/model core/model
COPY core/source-hash.ts core/
COPY dashboard dashboard
COPY docs/receiving-webhooks.md docs/webhook-test-vectors.json docs/
COPY dev/build.ts dev/dashboard-build.ts dev/leftover.ts dev/local.ts dev/lock.ts dev/run-command.ts dev/
RUN npm run build

FROM node:24-bookworm-slim
# Temporal's client trusts the certificates of the system, and slim images have none.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production
# The loader's cache is a shared temporary folder, whose owner it does not check.
ENV TSX_DISABLE_CACHE=1
COPY --from=dependencies /app/node_modules node_modules
COPY package.json package-lock.json tsconfig.json ./
COPY core core
COPY db db
COPY api api
COPY workflows workflows
COPY activities activities
COPY worker worker
COPY dev/account-create.ts dev/email-confirm.ts dev/readable-password.ts dev/
COPY --from=dashboard /app/dashboard/dist dashboard/dist
USER node
EXPOSE 3000
# The worker and the migrations run from the same image:
#   node --import tsx/esm worker/main.ts
#   node --import tsx/esm db/migrate.ts
CMD ["node", "--import", "tsx/esm", "api/main.ts"]
