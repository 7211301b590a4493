/** The names of an instance's objects. */
export function instanceNames(instance: string) {
  return {
    metadata: `${instance}-metadata`,
    postgres: `${instance}-metadata-pg`,
    credentials: `${instance}-metadata-postgres-creds`,
    gateway: `${instance}-gateway`,
    gatewayConfig: `${instance}-gateway-config`,
  };
}

export type Component = "postgres" | "metadata" | "gateway";
