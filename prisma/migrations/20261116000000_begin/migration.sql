CREATE TABLE "Resource" (
  "id" TEXT PRIMARY KEY,
  "family" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "namespace" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "uid" TEXT NOT NULL,
  "generation" INTEGER NOT NULL,
  "resourceVersion" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  "tone" TEXT NOT NULL,
  "attention" SMALLINT NOT NULL,
  "since" TIMESTAMPTZ(3),
  "lifecycles" JSONB NOT NULL,
  "sentence" TEXT NOT NULL,
  "reason" TEXT,
  "owner" JSONB,
  "labels" JSONB NOT NULL,
  "commands" JSONB NOT NULL,
  "known" JSONB NOT NULL,
  "machines" JSONB NOT NULL,
  "looksAgainAt" TIMESTAMPTZ(3),
  "error" TEXT,
  "digest" TEXT NOT NULL,
  "version" BIGINT NOT NULL,
  "seenAt" TIMESTAMPTZ(3) NOT NULL,
  "deletedAt" TIMESTAMPTZ(3)
);
CREATE INDEX "Resource_version_idx" ON "Resource" ("version");
CREATE INDEX "Resource_kind_namespace_name_idx" ON "Resource" ("kind", "namespace", "name");
CREATE INDEX "Resource_name_page" ON "Resource" ("name" COLLATE "C", "id" COLLATE "C") WHERE "deletedAt" IS NULL;
CREATE INDEX "Resource_labels" ON "Resource" USING GIN ("labels" jsonb_path_ops);

CREATE TABLE "Transition" (
  "id" BIGINT PRIMARY KEY,
  "resourceId" TEXT NOT NULL,
  "uid" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "lifecycle" TEXT NOT NULL,
  "pass" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "machine" TEXT NOT NULL,
  "from" TEXT NOT NULL,
  "to" TEXT NOT NULL,
  "event" TEXT NOT NULL,
  "edge" TEXT,
  "guard" TEXT,
  "flipped" JSONB NOT NULL,
  "facts" JSONB NOT NULL,
  "evidence" JSONB NOT NULL,
  "actions" JSONB NOT NULL,
  "writes" JSONB NOT NULL,
  "actor" TEXT,
  "commandId" TEXT,
  "error" TEXT,
  "dwellMs" BIGINT,
  "droppedBefore" INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX "Transition_pass_lifecycle_key" ON "Transition" ("pass", "lifecycle");
CREATE INDEX "Transition_resourceId_id_idx" ON "Transition" ("resourceId", "id");
CREATE INDEX "Transition_at_idx" ON "Transition" ("at");

CREATE TABLE "WarningEvent" (
  "id" TEXT PRIMARY KEY,
  "resourceId" TEXT NOT NULL,
  "object" JSONB NOT NULL,
  "reason" TEXT NOT NULL,
  "message" TEXT NOT NULL,
  "count" INTEGER NOT NULL,
  "firstSeen" TIMESTAMPTZ(3) NOT NULL,
  "lastSeen" TIMESTAMPTZ(3) NOT NULL,
  "source" TEXT NOT NULL
);
CREATE INDEX "WarningEvent_resourceId_lastSeen_idx" ON "WarningEvent" ("resourceId", "lastSeen");
CREATE INDEX "WarningEvent_lastSeen_idx" ON "WarningEvent" ("lastSeen");

CREATE TABLE "Command" (
  "id" TEXT PRIMARY KEY,
  "order" BIGSERIAL NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "finishedAt" TIMESTAMPTZ(3),
  "actor" TEXT NOT NULL,
  "groups" JSONB NOT NULL,
  "idempotencyKey" TEXT NOT NULL,
  "resourceId" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "namespace" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "uid" TEXT,
  "command" TEXT NOT NULL,
  "args" JSONB NOT NULL,
  "seenState" TEXT,
  "stateBefore" TEXT,
  "machine" TEXT,
  "outcome" TEXT NOT NULL,
  "code" TEXT,
  "sentence" TEXT NOT NULL,
  "reason" TEXT,
  "changed" JSONB NOT NULL,
  "bulkId" TEXT
);
CREATE UNIQUE INDEX "Command_order_key" ON "Command" ("order");
CREATE UNIQUE INDEX "Command_actor_idempotencyKey_key" ON "Command" ("actor", "idempotencyKey");
CREATE INDEX "Command_resourceId_order_idx" ON "Command" ("resourceId", "order");

CREATE TABLE "Machine" (
  "hash" TEXT PRIMARY KEY,
  "kind" TEXT NOT NULL,
  "lifecycle" TEXT NOT NULL,
  "definition" JSONB NOT NULL,
  "layout" JSONB,
  "firstSeenAt" TIMESTAMPTZ(3) NOT NULL
);

CREATE TABLE "EdgeCount" (
  "machine" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "lifecycle" TEXT NOT NULL,
  "edge" TEXT NOT NULL,
  "from" TEXT NOT NULL,
  "to" TEXT NOT NULL,
  "count" BIGINT NOT NULL,
  PRIMARY KEY ("machine", "edge")
);
CREATE INDEX "EdgeCount_kind_lifecycle_idx" ON "EdgeCount" ("kind", "lifecycle");

CREATE TABLE "Dwell" (
  "kind" TEXT NOT NULL,
  "lifecycle" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  "bucket" SMALLINT NOT NULL,
  "count" BIGINT NOT NULL,
  PRIMARY KEY ("kind", "lifecycle", "state", "bucket")
);

CREATE TABLE "BulkJob" (
  "id" TEXT PRIMARY KEY,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "finishedAt" TIMESTAMPTZ(3),
  "actor" TEXT NOT NULL,
  "groups" JSONB NOT NULL,
  "command" TEXT NOT NULL,
  "args" JSONB NOT NULL,
  "state" TEXT NOT NULL,
  "runner" TEXT,
  "aliveAt" TIMESTAMPTZ(3)
);
CREATE INDEX "BulkJob_state_idx" ON "BulkJob" ("state");

CREATE TABLE "BulkItem" (
  "jobId" TEXT NOT NULL,
  "position" INTEGER NOT NULL,
  "kind" TEXT NOT NULL,
  "namespace" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "seenState" TEXT,
  "outcome" TEXT NOT NULL,
  "code" TEXT,
  "sentence" TEXT,
  "commandId" TEXT,
  PRIMARY KEY ("jobId", "position")
);

CREATE TABLE "Counter" (
  "name" TEXT PRIMARY KEY,
  "value" BIGINT NOT NULL
);
-- change: the last number given to a change. horizon: a reader that stopped before it must start afresh.
INSERT INTO "Counter" ("name", "value") VALUES ('change', 0), ('horizon', 0);

CREATE TABLE "Projection" (
  "name" TEXT PRIMARY KEY,
  "fence" BIGINT NOT NULL,
  "lagMs" INTEGER NOT NULL,
  "buffered" INTEGER NOT NULL,
  "dropped" BIGINT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL
);
