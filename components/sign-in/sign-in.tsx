import { Brand } from "../shell/brand";
import { TokenForm } from "./token-form";

type Props = { mode: "none" | "token" | "oidc"; to: string; error: string | null };

/** The way in, by whatever this installation asks for. */
export function SignIn({ mode, to, error }: Props) {
  return (
    <main className="sign-in" style={{ maxWidth: "none" }}>
      <div className="card">
        <div className="brand" style={{ padding: 0 }}>
          <Brand />
        </div>
        <h1>Sign in</h1>
        {error && (
          <p role="alert" className="panel-note bad" style={{ padding: 0 }}>
            {error}
          </p>
        )}
        {mode === "oidc" ? (
          <a className="button" href={`/api/session/oidc?returnTo=${encodeURIComponent(to)}`}>
            Go to the identity provider
          </a>
        ) : (
          <TokenForm to={to} />
        )}
      </div>
    </main>
  );
}
