# The program and the web UI, alone: no shell, no package manager, nobody but 65532.
FROM node:20-bookworm-slim AS web
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY web ./
COPY internal/messaging/emoji/table.txt ../internal/messaging/emoji/table.txt
RUN npm run build --silent

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=web /src/web/dist web/dist
ARG VERSION=dev
ARG COMMIT=unknown
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION -X main.commit=$COMMIT" -o /out/understudy ./cmd/understudy
RUN mkdir -m 0700 /out/data && mkdir -m 1777 /out/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/tmp /tmp
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build /out/understudy /understudy
USER 65532:65532
ENV UNDERSTUDY_DATA=/data
ENV UNDERSTUDY_LISTEN=0.0.0.0:4400
ENV UNDERSTUDY_MODE=full
EXPOSE 4400
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/understudy", "health"]
ENTRYPOINT ["/understudy"]
CMD ["serve"]
