-- What was asked for, generation by generation, and what a resource said of itself at each transition.
CREATE TABLE "Generation" (
  "uid" TEXT NOT NULL,
  "generation" INTEGER NOT NULL,
  "resourceId" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "spec" JSONB NOT NULL,
  PRIMARY KEY ("uid", "generation")
);
CREATE INDEX "Generation_resourceId_generation_idx" ON "Generation" ("resourceId", "generation");
CREATE INDEX "Generation_at_idx" ON "Generation" ("at");
ALTER TABLE "Transition" ADD COLUMN "generation" INTEGER;
ALTER TABLE "Transition" ADD COLUMN "conditions" JSONB NOT NULL DEFAULT '[]';
