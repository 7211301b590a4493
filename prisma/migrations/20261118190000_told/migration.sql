-- Whether a command has been told of is looked up for every transition of what was ever commanded.
CREATE INDEX "Transition_commandId_idx" ON "Transition" ("commandId") WHERE "commandId" IS NOT NULL;
