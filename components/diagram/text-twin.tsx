import type { DrawnMachine } from "./drawn-machine";

/** The diagram in words: every state, and every transition from it in the order tried. */
export function TextTwin({
  machine,
  edges,
}: {
  machine: DrawnMachine;
  edges: { id: string; from: string; to: string; label: string; self: boolean }[];
}) {
  return (
    <details className="twin">
      <summary>This diagram in words</summary>
      <ul>
        {machine.states.map(({ id, summary, look, count, sub }) => (
          <li key={id}>
            <b>{id}</b>
            {look === "now" && " (now)"}: {summary}
            {count !== null && `, ${count} resources`}
            {sub && `, ${sub}`}
            <ul>
              {edges
                .filter(({ from }) => from === id)
                .map((edge) => (
                  <li key={edge.id}>
                    <code>{edge.label}</code> {edge.self ? "stays" : `→ ${edge.to}`}
                  </li>
                ))}
            </ul>
          </li>
        ))}
      </ul>
    </details>
  );
}
