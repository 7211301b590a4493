/** Headers of every answer. With a nonce also the policy for pages: our scripts and styles, nobody else's anything. */
export function securityHeaders(nonce?: string): Record<string, string> {
  const script = nonce ? `'self' 'nonce-${nonce}' 'strict-dynamic'` : "'none'";
  const policy = [
    "default-src 'none'",
    `script-src ${script}`,
    // Positions of a diagram's parts are style attributes, which no nonce can cover.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
  };
}
