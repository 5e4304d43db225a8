# The gateway without its embedded Postgres: it needs DATABASE_URL. compose.yaml has one.

FROM node:24-alpine AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY src/agents/package.json src/agents/
COPY src/bench/package.json src/bench/
COPY src/client/package.json src/client/
COPY src/datasets/package.json src/datasets/
COPY src/embedded/package.json src/embedded/
COPY src/graphiql/package.json src/graphiql/
COPY src/hooks/package.json src/hooks/
COPY src/keys/package.json src/keys/
COPY src/pothos-sql/package.json src/pothos-sql/
COPY src/rest-docs/package.json src/rest-docs/
COPY src/sample/package.json src/sample/
COPY src/share/package.json src/share/
COPY src/site/package.json src/site/
COPY src/sources/package.json src/sources/
COPY src/tables/package.json src/tables/
COPY src/web/package.json src/web/
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

FROM node:24-alpine AS packages
WORKDIR /packages
COPY package-lock.json ./
COPY --from=build /build/dist/package/package.json ./
# Those of the lock file. Prisma brings a query compiler for every database, 50 MB of them.
RUN npm install --omit=optional --ignore-scripts --no-audit \
  && find node_modules/@prisma/client/runtime -name 'query_compiler_*' ! -name '*_fast_bg.postgresql.*' -delete

FROM node:24-alpine
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=packages /packages/node_modules node_modules
COPY --from=build /build/dist/package .
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD wget -q -O /dev/null "http://127.0.0.1:${PORT:-4000}/livez" || exit 1
ENTRYPOINT ["node", "--min-semi-space-size=16", "--max-semi-space-size=32", "dist/main.js"]
CMD ["serve"]
