import type { FlowAnswer, MachineAnswer } from "../answers";
import { duration } from "../time/duration";

type Props = {
  definition: MachineAnswer["definition"];
  taken: ReadonlyMap<string, number>;
  flow: FlowAnswer["edges"];
};

/** One row for each transition, with how often it was taken; those that never were are said to be so. */
export function SpecTable({ definition, taken, flow }: Props) {
  const { table, guards, actions, commands } = definition;
  const words = (names: string) =>
    names
      .split(", ")
      .map((name) => actions[name] ?? name)
      .join(", ");
  const wordsOf = (when: string) =>
    Object.entries(guards)
      .filter(([name]) => new RegExp(`\\b${name}\\b`).test(when))
      .map(([name, { yes }]) => `${name}: ${yes}`)
      .join("\n");
  return (
    <div className="scroll-x">
      <table>
        <thead>
          <tr>
            <th scope="col">from</th>
            <th scope="col">on</th>
            <th scope="col">when</th>
            <th scope="col">to</th>
            <th scope="col">does</th>
            <th scope="col" className="r">
              taken
            </th>
            <th scope="col" className="r">
              per hour
            </th>
            <th scope="col" className="r">
              after
            </th>
          </tr>
        </thead>
        <tbody>
          {table.map(({ id, from, on, when, to, does }, index) => {
            const lately = flow.find(({ edge }) => edge === id);
            return (
              <tr key={id} className={taken.has(id) ? "" : "never-row"}>
                <td>
                  {table[index - 1]?.from === from ? <span className="visually-hidden">{from}</span> : <b>{from}</b>}
                </td>
                <td>
                  <span className={commands[on] ? "" : "ev"}>{on}</span>
                </td>
                <td className="mono" title={wordsOf(when)}>
                  {when}
                </td>
                <td>{to === from ? <span className="ev">stays</span> : <b>{to}</b>}</td>
                <td title={words(does)} className="ev">
                  {does}
                </td>
                <td className="r">{taken.get(id)?.toLocaleString("en") ?? "never"}</td>
                <td className="r">{lately ? lately.hour.toLocaleString("en") : ""}</td>
                <td className="r">{lately && lately.p50Ms !== null ? duration(lately.p50Ms, 1) : ""}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
