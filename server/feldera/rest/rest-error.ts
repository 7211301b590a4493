import { ownError } from "@/server/own-error";

/** A refusal in the words of the REST API: `{ message, error_code, details }` with its HTTP status. */
export class RestError extends ownError("RestError") {
  readonly status: number;
  readonly code: string;
  readonly details: Record<string, unknown>;
  constructor(status: number, code: string, message: string, details: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}
