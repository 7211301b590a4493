import { type IncomingMessage } from "node:http";
import { badRequestError, entityTooLargeError } from "@/server/sandbox/status-error";

const BYTES_MAX = 3 * 1_024 * 1_024;
const TOO_LARGE = `limit is ${BYTES_MAX}`;

/** The whole body, or 413 as soon as it is known to be too large. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > BYTES_MAX) return Promise.reject(entityTooLargeError(TOO_LARGE));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > BYTES_MAX) {
        reject(entityTooLargeError(TOO_LARGE));
        request.pause();
        return;
      }
      chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", () => reject(badRequestError("the request ended before its body did")));
  });
}
