FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Every native part comes as a prebuilt package, so no install script has to run.
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY activities activities
COPY api api
COPY cli cli
COPY core core
COPY dashboard dashboard
COPY db db
COPY widget widget
COPY worker worker
COPY workflows workflows
COPY docs/receiving-webhooks.md docs/webhook-test-vectors.json docs/
COPY dev/build dev/build
COPY dev/leftover.ts dev/local.ts dev/lock.ts dev/run-command.ts dev/
RUN npm run build

FROM node:24-bookworm-slim
# Temporal's client trusts the certificates of the system, and slim images have none.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production
COPY --from=dependencies /app/node_modules node_modules
COPY package.json ./
COPY cli/parley.js cli/
COPY --from=build /app/dashboard/dist dashboard/dist
COPY --from=build /app/widget/dist widget/dist
COPY --from=build /app/dist dist
# A volume over this folder keeps its owner.
# 1000 is the user node.
RUN install -d -o 1000 -g 1000 -m 0700 data/media
ENV MEDIA_DIR=/app/data/media
USER node
EXPOSE 3000
# The worker and the operator's commands run from the same image:
#   node cli/parley.js worker
#   node cli/parley.js --help
CMD ["node", "cli/parley.js", "api"]
