import { createServer } from "node:https";
import { type AddressInfo } from "node:net";
import { makeCertificate } from "@/server/sandbox/http/certificate";

export type Review = {
  uid: string;
  operation: string;
  dryRun: boolean;
  name: string;
  namespace: string;
  object: Record<string, unknown> | null;
  oldObject: Record<string, unknown> | null;
  userInfo: { username: string };
  resource: Record<string, string>;
  kind: Record<string, string>;
};

/** What a webhook answers, without the uid; undefined: nothing ever, null: an error. */
export type Answer = Record<string, unknown> | null;

export type WebhookServer = { url: string; caBundle: string; asked: Review[]; stop: () => Promise<void> };

/** An admission webhook in this process, for servers that share the machine. */
export async function startWebhook(answer: (review: Review) => Answer): Promise<WebhookServer> {
  const { key, cert } = makeCertificate();
  const asked: Review[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { request: review } = JSON.parse(Buffer.concat(chunks).toString()) as { request: Review }; // Sent by an API server.
      asked.push(review);
      const result = answer(review);
      if (result === null) response.writeHead(500).end("broken");
      else
        response.writeHead(200, { "content-type": "application/json" }).end(
          JSON.stringify({
            apiVersion: "admission.k8s.io/v1",
            kind: "AdmissionReview",
            response: { uid: review.uid, ...result },
          }),
        );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return {
    url: `https://127.0.0.1:${port}`,
    caBundle: Buffer.from(cert).toString("base64"),
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
