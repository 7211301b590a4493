-- The audit log is never forgotten, and mostly of what is over: what is under way, and what came of a command, is looked for
-- with every page and every pass.
CREATE INDEX "Command_running_idx" ON "Command" ("resourceId", "order") WHERE "outcome" = 'running';
CREATE INDEX "Command_done_idx" ON "Command" ("resourceId", "order") WHERE "outcome" IN ('accepted', 'running');
