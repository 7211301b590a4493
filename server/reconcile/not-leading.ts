import { ownError } from "@/server/own-error";

/** Thrown in place of a write when the lease may have passed on. Not a failure: whoever leads does the work. */
export class NotLeading extends ownError("NotLeading") {
  constructor() {
    super("this worker does not hold the lease, so it writes nothing");
  }
}
