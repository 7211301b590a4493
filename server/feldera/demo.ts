import type { KubernetesObject } from "@/server/kubernetes/object";

const NAMESPACE = "streams";

/** Three pipelines: one that runs, one that is stopped, and one whose SQL has a mistake in it. */
export function felderaDemo(): KubernetesObject[] {
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } },
    pipeline("orders-enrich", {
      description: "Orders joined with the customers that placed them",
      program_code: ordersSql,
      deployment: { desired: "Provisioned", initial: "Running" },
    }),
    pipeline("clicks-hourly", {
      description: "Clicks, counted by the hour",
      program_code: clicksSql,
      deployment: { desired: "Stopped" },
    }),
    pipeline("fraud-score", {
      description: "Scores payments as they come in",
      program_code: fraudSql,
      deployment: { desired: "Stopped" },
    }),
  ];
}

function pipeline(name: string, spec: Record<string, unknown>): KubernetesObject {
  return { apiVersion: "feldera.com/v1alpha1", kind: "Pipeline", metadata: { name, namespace: NAMESPACE }, spec };
}

const ordersSql = `CREATE TABLE customers (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR, country VARCHAR);
CREATE TABLE orders (id BIGINT NOT NULL PRIMARY KEY, customer BIGINT NOT NULL, total DECIMAL(10, 2));

CREATE MATERIALIZED VIEW enriched AS
SELECT orders.id, customers.name, customers.country, orders.total
FROM orders JOIN customers ON orders.customer = customers.id;
`;

const clicksSql = `CREATE TABLE clicks (clicked_at TIMESTAMP NOT NULL, page VARCHAR NOT NULL);

CREATE MATERIALIZED VIEW hourly AS
SELECT page, COUNT(*) AS clicks FROM clicks GROUP BY page;
`;

const fraudSql = `CREATE TABLE payments (id BIGINT NOT NULL PRIMARY KEY, card VARCHAR NOT NULL, amount DECIMAL(10, 2));

CREATE MATERIALIZED VIEW score AS
SELECT card, SUM(amount) AS spent FORM payments GROUP BY card;
`;
