// Not TypeScript: Next would transpile it at every start.
/** @type {import("next").NextConfig} */
const config = {
  // One copy of each, loaded by Node: bundled copies would be a second database and a second client.
  serverExternalPackages: [
    "@electric-sql/pglite",
    "@kubernetes/client-node",
    "@prisma/client",
    "pg",
    "pglite-prisma-adapter",
    "undici",
    "ws",
  ],
  poweredByHeader: false,
  reactStrictMode: true,
  // `npm test` checks the types of the whole project once; the build does not check them again.
  typescript: { ignoreBuildErrors: true },
};

export default config;
