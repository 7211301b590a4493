import { createHash } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";
import { z } from "zod";

/** What a browser carries, encrypted: the Kubernetes token itself, or who the identity provider said it is. */
export const sessionSchema = z.union([
  z.object({ token: z.string() }),
  z.object({ name: z.string(), groups: z.array(z.string()) }),
]);
export type Session = z.infer<typeof sessionSchema>;

export type Sessions = {
  /** The value of Set-Cookie. */
  seal(session: Session, expiresAt: number): Promise<string>;
  /** null: none, expired, or not ours. */
  open(request: Request): Promise<{ session: Session; expiresAt: number } | null>;
  clear(): string;
};

const COOKIE = "orrery_session";
/** Browsers drop larger cookies without a word. */
const COOKIE_MAX = 4_000;

/** Cookies that only this server can read; the browser's script cannot even see them. */
export function createSessions({
  secret,
  secure,
  now,
}: {
  secret: string;
  secure: boolean;
  now: () => number;
}): Sessions {
  const key = createHash("sha256").update(`orrery session ${secret}`).digest();
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return {
    seal: async (session, expiresAt) => {
      const sealed = await new EncryptJWT({ session })
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setExpirationTime(Math.floor(expiresAt / 1_000))
        .encrypt(key);
      if (sealed.length > COOKIE_MAX) throw new Error("The session is too large for a cookie.");
      return `${COOKIE}=${sealed}; Max-Age=${Math.max(0, Math.floor((expiresAt - now()) / 1_000))}; ${attributes}`;
    },
    open: async (request) => {
      const sealed = cookieOf(request, COOKIE);
      if (!sealed) return null;
      try {
        const { payload } = await jwtDecrypt(sealed, key, { currentDate: new Date(now()) });
        return { session: sessionSchema.parse(payload.session), expiresAt: (payload.exp ?? 0) * 1_000 };
      } catch {
        return null;
      }
    },
    clear: () => `${COOKIE}=; Max-Age=0; ${attributes}`,
  };
}

export function cookieOf(request: Request, name: string): string | null {
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name && value) return value;
  }
  return null;
}
