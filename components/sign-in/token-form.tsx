"use client";
import { useState } from "react";

/** Exchanges a Kubernetes token for a session; the token is not kept by the page. */
export function TokenForm({ to }: { to: string }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const send = async (form: FormData) => {
    setAsking(true);
    const response = await fetch("/api/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: form.get("token") }),
    }).catch(() => null);
    if (response?.ok) {
      location.assign(to);
      return;
    }
    setAsking(false);
    setProblem((await sentenceOf(response)) ?? "Orrery does not answer; try again.");
  };
  return (
    <form
      style={{ display: "grid", gap: 12 }}
      onSubmit={(event) => {
        event.preventDefault();
        void send(new FormData(event.currentTarget));
      }}
    >
      {problem && (
        <p role="alert" className="panel-note bad" style={{ padding: 0 }}>
          {problem}
        </p>
      )}
      <label className="field">
        Kubernetes token
        <input type="password" name="token" required autoComplete="off" autoFocus />
      </label>
      <p className="ev">
        For example from <code>kubectl create token NAME</code>. The cluster checks it, and you may do here what it may
        do there.
      </p>
      <button className="main" style={{ justifyContent: "center" }} disabled={isAsking}>
        Sign in
      </button>
    </form>
  );
}

async function sentenceOf(response: Response | null): Promise<string | null> {
  const body: unknown = await response?.json().catch(() => null);
  if (typeof body !== "object" || body === null) return null;
  const said = "refusal" in body ? body.refusal : body;
  return typeof said === "object" && said !== null && "sentence" in said && typeof said.sentence === "string"
    ? said.sentence
    : null;
}
