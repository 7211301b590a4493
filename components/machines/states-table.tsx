import type { FlowAnswer, MachineAnswer } from "../answers";
import { duration } from "../time/duration";
import { StatusPill } from "../tone/status-pill";
import { Card } from "../ui/card";

type Props = {
  states: MachineAnswer["states"];
  nodes: MachineAnswer["definition"]["diagram"]["nodes"];
  flow: FlowAnswer["states"];
};

/** How many are in each state, how many came into it lately, and how long they stay. */
export function StatesTable({ states, nodes, flow }: Props) {
  return (
    <Card title="States">
      <div className="scroll-x">
        <table className="figures">
          <thead>
            <tr>
              <th scope="col">state</th>
              <th scope="col">now</th>
              <th scope="col">per hour</th>
              <th scope="col">per day</th>
              <th scope="col">usual stay</th>
              <th scope="col">p95</th>
            </tr>
          </thead>
          <tbody>
            {states.map(({ state, tone, count, dwell }) => {
              const came = flow.find((one) => one.state === state);
              return (
                <tr key={state}>
                  <td>
                    <StatusPill tone={tone} slim>
                      {state}
                    </StatusPill>
                    <div className="ev">{nodes.find(({ id }) => id === state)?.summary}</div>
                  </td>
                  <td>{count.toLocaleString("en")}</td>
                  <td>{came?.enteredHour.toLocaleString("en") ?? "0"}</td>
                  <td>{came?.enteredDay.toLocaleString("en") ?? "0"}</td>
                  <td>{dwell ? duration(dwell.p50Ms, 1) : "too few"}</td>
                  <td>{dwell ? duration(dwell.p95Ms, 1) : ""}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
