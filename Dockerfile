# docker build -t assay . && docker run -i --rm -v assay:/data assay mcp
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
LABEL io.modelcontextprotocol.server.name="io.github.assay/assay"
ENV NODE_ENV=production ASSAY_HOME=/data
# The C library returns memory that is no longer needed.
ENV MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=65536 MALLOC_TRIM_THRESHOLD_=65536
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/migrations migrations
COPY --from=build /app/models models
COPY --from=build /app/sample-company sample-company
COPY --from=build /app/schemas schemas
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
# The server, and the probes of a worker.
EXPOSE 7411 7412
# For `serve`, which is let out of the container only once there is a token: docker run … assay token create
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7411/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["serve", "--host", "0.0.0.0"]
