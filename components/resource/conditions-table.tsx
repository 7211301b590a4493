import { Fragment } from "react";
import type { Tone } from "@/machines/lifecycle";
import type { GetAnswer } from "../answers";
import { Age } from "../time/age";
import { StatusPill } from "../tone/status-pill";
import { Card } from "../ui/card";

const tones: Record<string, Tone> = { True: "good", False: "warn", Unknown: "idle" };

export function ConditionsTable({ conditions }: { conditions: GetAnswer["conditions"] }) {
  return (
    <Card title="Conditions">
      {conditions.length === 0 && <p className="panel-note">None yet.</p>}
      <table>
        <tbody>
          {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
            <Fragment key={type}>
              <tr>
                <td>{type}</td>
                <td>
                  <StatusPill tone={tones[status] ?? "idle"} slim>
                    {status}
                  </StatusPill>
                </td>
                <td>{reason}</td>
                <td className="r">
                  <Age since={lastTransitionTime} />
                </td>
              </tr>
              {message && (
                <tr className="more">
                  <td className="ev" colSpan={4}>
                    {message}
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
